// Turns a parsed JSON body into its typed form, or reports what is wrong and where.

import type { TValidationError } from 'typebox/error';
import { type Fault, fault } from '../../../domain/faults.ts';
import { quoted } from '../../../domain/quoted.ts';
import { checkBody } from '../../schema/check-body.ts';
import type { Shape } from '../../schema/shape.ts';
import type { Static, TSchema } from '../../schema/type.ts';
import { endOfValue, type JsonPath, type JsonPosition } from './json-position.ts';

export interface JsonBody {
  /** `undefined` if the request had no body. */
  readonly body: unknown;
  readonly bodyText: string;
}

/**
 * Checks types, required fields and, in closed objects, unknown fields. Bounds and
 * choices are left to the value checks, which respond 400. Optional fields that are null count as absent.
 * @throws body-not-json for an empty body, body-not-deserializable
 */
export function deserialize<Schema extends TSchema>(
  schema: Schema,
  { body, bodyText }: JsonBody,
): Static<Schema> {
  if (body === undefined) {
    throw fault('body-not-json', { reason: 'EOF while parsing a value at line 1 column 0' });
  }
  const checked = checkBody(schema, body);
  if (checked.isValid) return checked.body;
  const { shape, value, errors } = checked;
  const [first] = errors.filter(({ keyword }) => KEYWORDS.has(keyword)).sort(asRead);
  if (first === undefined) throw new Error('A body was refused without a reason.');
  const path = pointerParts(first.instancePath);
  throw deserializationFault(reasonOf(first, shape, valueAt(value, path)), endOfValue(bodyText, path));
}

/** For fields whose presence depends on a sibling, which a schema cannot express. */
export function missingField(name: string, path: JsonPath, bodyText: string): Fault {
  return deserializationFault(`missing field \`${name}\``, endOfValue(bodyText, path));
}

/** For a value that the schema leaves to the value checks, and that is none of the `choices`. */
export function unknownVariant(
  value: string,
  choices: readonly string[],
  { path, bodyText }: { readonly path: JsonPath; readonly bodyText: string },
): Fault {
  const list = choices.map((choice) => `\`${choice}\``).join(', ');
  const reason = `${path.join('.')}: unknown variant \`${quoted(value)}\`, expected one of ${list}`;
  return deserializationFault(reason, endOfValue(bodyText, path));
}

/** The closed-object check refuses each unknown key with the schema `false`, keyword `boolean`. */
const KEYWORDS: ReadonlySet<string> = new Set(['type', 'boolean', 'required']);
/** Longest text a message quotes from a body. */

function deserializationFault(reason: string, { line, column }: JsonPosition): Fault {
  return fault('body-not-deserializable', { reason: `${reason} at line ${line} column ${column}` });
}

/** Orders errors by their position in the text; a missing field counts at the end of its object. */
function asRead(one: TValidationError, other: TValidationError): number {
  const late = (error: TValidationError): number => Number(error.keyword === 'required');
  return late(one) - late(other) || other.instancePath.length - one.instancePath.length;
}

function reasonOf(error: TValidationError, shape: Shape, value: unknown): string {
  if (error.keyword === 'type')
    return `invalid type: ${shown(value)}, expected ${expected(error.params.type)}`;
  if (error.keyword === 'required') return `missing field \`${error.params.requiredProperties[0]}\``;
  const known = Object.keys(closedObject(shape, error.schemaPath).properties ?? {});
  const list = known.map((name) => `\`${name}\``).join(', ');
  const field = pointerParts(error.instancePath).at(-1);
  return `unknown field \`${field}\`, expected ${known.length === 1 ? list : `one of ${list}`}`;
}

function closedObject(shape: Shape, schemaPath: string): Shape {
  const steps = schemaPath.split('/').slice(1, -1);
  // The path is one that the library found in this shape.
  return steps.reduce(memberOf, shape) as Shape;
}

function pointerParts(pointer: string): JsonPath {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce(memberOf, value);
}

/** A member of an object, or an item of an array. */
function memberOf(node: unknown, key: string): unknown {
  return node instanceof Object ? Reflect.get(node, key) : undefined;
}

function shown(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'string') return `string ${JSON.stringify(quoted(value))}`;
  if (typeof value === 'number') {
    return `${Number.isInteger(value) ? 'integer' : 'floating point'} \`${value}\``;
  }
  return typeof value === 'boolean' ? `boolean \`${value}\`` : 'map';
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  object: 'a map',
  array: 'a sequence',
};

function expected(type: string | readonly string[]): string {
  return [type]
    .flat()
    .map((one) => EXPECTED[one] ?? one)
    .join(' or ');
}
