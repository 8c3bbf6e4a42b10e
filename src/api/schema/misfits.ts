// Says where a JSON value departs from a shape, as the schema library does, without loading the library
// (docs/decisions/002-libraries.md).
import type { TValidationError } from 'typebox/error';
import type { JsonType, Shape } from './shape.ts';

/** The library, too, stops there: a hostile body could have millions. */
const MISFITS_MAX = 8;

type Misfits = readonly TValidationError[];
type Members = Readonly<Record<string, unknown>>;

const NONE: Misfits = [];
/** Paths grow from the inside out, so that what fits costs none. */
const HERE = { schemaPath: '', instancePath: '' };

const IS_OF_TYPE: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isObject,
  string: (value) => typeof value === 'string',
};

/** The first eight, in the library's order and form; none when the value fits. */
export function misfitsOf(shape: Shape, value: unknown): Misfits {
  const found = misfits(shape, value).slice(0, MISFITS_MAX);
  return found.map((misfit) => ({ ...misfit, schemaPath: `#${misfit.schemaPath}` }));
}

function misfits(shape: Shape | false, value: unknown): Misfits {
  if (shape === false) return [{ keyword: 'boolean', ...HERE, params: {} }];
  const { type, items } = shape;
  const wrong: Misfits =
    type === undefined || IS_OF_TYPE[type](value) ? NONE : [{ keyword: 'type', ...HERE, params: { type } }];
  if (isObject(value)) {
    return [
      ...wrong,
      ...missing(shape, value),
      ...misfitsOfOthers(shape, value),
      ...misfitsOfKnown(shape, value),
    ];
  }
  if (items === undefined || !Array.isArray(value)) return wrong;
  return [...wrong, ...firstOf(value, (item, at) => below(misfits(items, item), 'items', at))];
}

function missing({ required = [] }: Shape, value: Members): Misfits {
  const requiredProperties = required.filter((name) => !Object.hasOwn(value, name));
  return requiredProperties.length === 0
    ? NONE
    : [{ keyword: 'required', ...HERE, params: { requiredProperties } }];
}

/** Of members that `properties` does not name: what is found in each, then one more that lists them. */
function misfitsOfOthers(
  { properties = {}, additionalProperties: other = true }: Shape,
  value: Members,
): Misfits {
  if (other === true) return NONE;
  const additionalProperties: string[] = [];
  const found = firstOf(Object.keys(value), (name) => {
    if (Object.hasOwn(properties, name)) return NONE;
    const inside = misfits(other, value[name]);
    if (inside.length > 0) additionalProperties.push(name);
    return below(inside, 'additionalProperties', name);
  });
  if (found.length === 0) return NONE;
  return [...found, { keyword: 'additionalProperties', ...HERE, params: { additionalProperties } }];
}

/** An optional member that is undefined, which JSON cannot say, counts as absent. */
function misfitsOfKnown({ properties = {}, required = [] }: Shape, value: Members): Misfits {
  return firstOf(Object.entries(properties), ([name, shape]) => {
    if (!Object.hasOwn(value, name)) return NONE;
    const member = value[name];
    if (member === undefined && !required.includes(name)) return NONE;
    return below(misfits(shape, member), `properties/${escaped(name)}`, name);
  });
}

/** What `look` finds in the parts, without looking further once there are MISFITS_MAX. */
function firstOf<Part>(parts: readonly Part[], look: (part: Part, at: number) => Misfits): Misfits {
  let found = NONE;
  let at = 0;
  // A list may have hundreds of thousands, nearly all of which fit: nothing is made for those.
  for (const part of parts) {
    const more = look(part, at++);
    if (more.length > 0) found = [...found, ...more];
    if (found.length >= MISFITS_MAX) break;
  }
  return found;
}

/** The same, seen from the parent. */
function below(misfits: Misfits, schemaStep: string, name: string | number): Misfits {
  if (misfits.length === 0) return NONE;
  return misfits.map((misfit) => ({
    ...misfit,
    schemaPath: `/${schemaStep}${misfit.schemaPath}`,
    instancePath: `/${escaped(`${name}`)}${misfit.instancePath}`,
  }));
}

/** A step of a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
