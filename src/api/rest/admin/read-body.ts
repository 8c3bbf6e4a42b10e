// Validates JSON bodies of the administration: types and required fields; each error is a 400 that names the field.
import type { TValidationError } from 'typebox/error';
import { fault, invalid } from '../../../domain/faults.ts';
import { quoted } from '../../../domain/quoted.ts';
import { checkBody } from '../../schema/check-body.ts';
import type { Static, TSchema } from '../../schema/type.ts';

/**
 * The body as the schema types it. Separate value checks enforce bounds and choices; unknown fields are
 * ignored where the schema is open; optional fields that are null count as absent.
 * @throws body-not-json for an empty body, invalid-argument
 */
export function readBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (body === undefined) throw fault('body-not-json', { reason: 'it is empty' });
  const checked = checkBody(schema, body);
  if (checked.isValid) return checked.body;
  const first = checked.errors.find(({ keyword }) => NAMED.has(keyword));
  throw invalid(first === undefined ? 'The request body is invalid' : reasonOf(first));
}

const NAMED: ReadonlySet<string> = new Set(['type', 'required', 'additionalProperties']);

function reasonOf(error: TValidationError): string {
  const parent = fieldName(error.instancePath);
  if (error.keyword === 'required') {
    return `${parent === '' ? '' : `${parent}.`}${error.params.requiredProperties[0]} is required`;
  }
  if (error.keyword === 'additionalProperties') {
    const [unknown = ''] = error.params.additionalProperties;
    return `${quoted(unknown)} is not a field of ${parent === '' ? 'the request body' : parent}`;
  }
  if (error.keyword !== 'type') return 'The request body is invalid';
  return `${parent === '' ? 'The request body' : parent} must be ${expected(String(error.params.type))}`;
}

/** `/role_bindings/0/role` -> `role_bindings[0].role` */
function fieldName(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
};

function expected(type: string): string {
  return EXPECTED[type] ?? type;
}
