// Values just beyond the bounds that the schemas of an OpenAPI document name, each put into a request that is valid
// otherwise.

export type Fields = Readonly<Record<string, unknown>>;

export interface BoundedSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, BoundedSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: BoundedSchema | boolean;
  readonly items?: BoundedSchema;
  readonly anyOf?: readonly BoundedSchema[];
  readonly oneOf?: readonly BoundedSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A request's value with one part beyond a bound. */
export interface Beyond {
  /** Where, as in `queries[].text`. */
  readonly place: string;
  /** The bound, as in `maxLength 100`. */
  readonly bound: string;
  readonly value: unknown;
}

/** Looks schemas up by their references. */
export type Resolve = (reference: string) => BoundedSchema;

type Put = (value: unknown) => unknown;

/** Of parts of numbers. */
const EPSILON = 0.001;

/** The variants of `value`, which fits the schema, with one part beyond one of its bounds. */
export function* beyondBounds(
  schema: BoundedSchema,
  value: unknown,
  resolve: Resolve,
  { place = '', put = (own) => own }: { readonly place?: string; readonly put?: Put } = {},
): Generator<Beyond> {
  const own = schema.$ref === undefined ? schema : resolve(schema.$ref);
  for (const [bound, beyond] of outside(own, value, resolve)) yield { place, bound, value: put(beyond) };
  const fields = isFields(value) ? value : {};
  for (const [name, child] of Object.entries(own.properties ?? {}))
    yield* beyondBounds(child, fields[name] ?? sampleOf(child, resolve), resolve, {
      place: place === '' ? name : `${place}.${name}`,
      put: (part) => put({ ...fields, [name]: part }),
    });
  if (typeof own.additionalProperties === 'object') {
    const known = Object.keys(own.properties ?? {});
    const name = Object.keys(fields).find((each) => !known.includes(each)) ?? 'other';
    const child = own.additionalProperties;
    yield* beyondBounds(child, fields[name] ?? sampleOf(child, resolve), resolve, {
      place: `${place}{}`,
      put: (part) => put({ ...fields, [name]: part }),
    });
  }
  if (own.items !== undefined) {
    const [first = sampleOf(own.items, resolve), ...rest] = Array.isArray(value) ? value : [];
    yield* beyondBounds(own.items, first, resolve, {
      place: `${place}[]`,
      put: (part) => put([part, ...rest]),
    });
  }
  const fitting = [...(own.anyOf ?? []), ...(own.oneOf ?? [])].find((each) => fits(each, value, resolve));
  if (fitting !== undefined) yield* beyondBounds(fitting, value, resolve, { place, put });
}

function* outside(
  schema: BoundedSchema,
  value: unknown,
  resolve: Resolve,
): Generator<readonly [bound: string, beyond: unknown]> {
  const { minimum, maximum, minItems, maxItems, minLength, maxLength } = schema;
  const step = schema.type === 'number' ? EPSILON : 1;
  if (minimum !== undefined) yield [`minimum ${minimum}`, minimum - step];
  if (maximum !== undefined) yield [`maximum ${maximum}`, maximum + step];
  if (minLength) yield [`minLength ${minLength}`, 'x'.repeat(minLength - 1)];
  if (maxLength !== undefined) yield [`maxLength ${maxLength}`, 'x'.repeat(maxLength + 1)];
  const [item = sampleOf(schema.items ?? {}, resolve)] = Array.isArray(value) ? value : [];
  if (minItems) yield [`minItems ${minItems}`, new Array(minItems - 1).fill(item)];
  if (maxItems !== undefined) yield [`maxItems ${maxItems}`, new Array(maxItems + 1).fill(item)];
}

/** A value that the schema allows, as small as can be. */
function sampleOf(schema: BoundedSchema, resolve: Resolve): unknown {
  if (schema.$ref !== undefined) return sampleOf(resolve(schema.$ref), resolve);
  const { enum: choices = [], examples = [], example, anyOf, oneOf, required = [], properties = {} } = schema;
  const [first] = [example, ...examples, ...choices].filter((each) => each !== undefined);
  if (first !== undefined) return first;
  const [alternative] = [...(anyOf ?? []), ...(oneOf ?? [])];
  if (alternative !== undefined) return sampleOf(alternative, resolve);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        required.map((name) => [name, sampleOf(properties[name] ?? {}, resolve)] as const),
      );
    case 'array':
      return new Array(schema.minItems ?? 0).fill(sampleOf(schema.items ?? {}, resolve));
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'x'.repeat(schema.minLength ?? 1);
  }
}

/** Whether a value is about what a schema describes: of its type, with the fields that it requires. */
function fits(schema: BoundedSchema, value: unknown, resolve: Resolve): boolean {
  const { type, required = [] } = schema.$ref === undefined ? schema : resolve(schema.$ref);
  if (type === 'object') return isFields(value) && required.every((name) => name in value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === undefined || typeof value === type;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
