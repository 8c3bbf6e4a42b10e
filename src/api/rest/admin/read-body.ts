// JSON bodies of administration: types and required fields, every misfit a 400 that names the field.
import type { TValidationError } from 'typebox/error';
import { fault, invalid } from '../../../domain/faults.ts';
import { misfitsOf } from '../../schema/misfits.ts';
import { shapeOf, withoutNulls } from '../../schema/shape.ts';
import type { Static, TSchema } from '../../schema/type.ts';

/**
 * The body as the schema types it. Bounds and choices are left to the value checks; unknown fields are passed
 * over; optional fields that are null count as absent.
 * @throws body-not-json for an empty body, invalid-argument
 */
export function readBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (body === undefined) throw fault('body-not-json', { reason: 'it is empty' });
  const shape = shapeOf(schema);
  const value = withoutNulls(shape, body);
  const misfits = misfitsOf(shape, value);
  if (misfits.length === 0) return value as Static<Schema>;
  const first = misfits.find(({ keyword }) => keyword === 'type' || keyword === 'required');
  throw invalid(first === undefined ? 'The request body does not fit' : reasonOf(first));
}

function reasonOf(error: TValidationError): string {
  const parent = fieldName(error.instancePath);
  if (error.keyword === 'required') {
    return `${parent === '' ? '' : `${parent}.`}${error.params.requiredProperties[0]} is required`;
  }
  if (error.keyword !== 'type') return 'The request body does not fit';
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
