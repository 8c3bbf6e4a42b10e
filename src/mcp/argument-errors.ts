// Says what is wrong with the arguments of a tool, in words that a language model can act on.
import type { CheckedBody } from '../api/schema/check-body.ts';
import type { TObject } from '../api/schema/type.ts';
import { type JsonObject, membersOf } from '../domain/json.ts';

type TypeError = Extract<CheckedBody<unknown>, { isValid: false }>['errors'][number];

/** What the errors of the schema say. */
export function typeErrors(input: TObject, errors: readonly TypeError[]): readonly string[] {
  return [...new Set(errors.flatMap((error) => reasonsOf(error, Object.keys(input.properties))))];
}

function reasonsOf(
  { keyword, instancePath, params }: TypeError,
  known: readonly string[],
): readonly string[] {
  const place = placeOf(instancePath);
  const names = Object.values(params).flat().map(String);
  const where = place === '' ? '' : ` in ${place}`;
  if (keyword === 'required') return names.map((name) => `${name} is missing${where}`);
  if (keyword === 'additionalProperties') {
    const rest = place === '' ? ` (known: ${known.join(', ')})` : '';
    return names.map((name) => `${name} is unknown${where}${rest}`);
  }
  if (keyword === 'type')
    return [`${place === '' ? 'the arguments' : place} must be of type ${names.join()}`];
  return [];
}

/** The fields of a JSON pointer, as in `records[2].id`. */
function placeOf(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
}

/** What exceeds the bounds of the arguments themselves; the service checks what is inside them. */
export function boundErrors(input: TObject, args: JsonObject): readonly string[] {
  return Object.entries(args).flatMap(([name, value]) =>
    boundError(name, value, membersOf(input.properties[name])),
  );
}

function boundError(name: string, value: unknown, bounds: JsonObject): readonly string[] {
  const { minimum, maximum, minLength, minItems, maxItems, enum: choices } = bounds;
  if (Array.isArray(choices) && !choices.includes(value))
    return [`${name} must be one of ${choices.join(', ')}`];
  if (typeof value === 'number') return outside(name, '', value, [minimum, maximum]);
  if (typeof value === 'string') return outside(name, ' characters', value.length, [minLength, undefined]);
  if (Array.isArray(value)) return outside(name, ' items', value.length, [minItems, maxItems]);
  return [];
}

function outside(
  name: string,
  unit: string,
  value: number,
  [min, max]: readonly [unknown, unknown],
): readonly string[] {
  const must = `${name} must ${unit === '' ? 'be' : 'have'} at`;
  if (typeof min === 'number' && value < min) return [`${must} least ${min}${unit}, got ${value}`];
  if (typeof max === 'number' && value > max) return [`${must} most ${max}${unit}, got ${value}`];
  return [];
}
