// JSON bodies of administration: types and required fields, every misfit a 400 that names the field.
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { TValidationError } from 'typebox/error';
import { fault, invalid } from '../../domain/faults.ts';
import { type Shape, shapeOf, withoutNulls } from '../control/body-shape.ts';

interface Checker {
  readonly shape: Shape;
  readonly validator: Validator;
}

const checkers = new WeakMap<TSchema, Checker>();

/**
 * The body as the schema types it. Bounds and choices are left to the value checks; unknown fields are passed
 * over; optional fields that are null count as absent.
 * @throws body-not-json for an empty body, invalid-argument
 */
export function readBody<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (body === undefined) throw fault('body-not-json', { reason: 'it is empty' });
  const { shape, validator } = checkerOf(schema);
  const value = withoutNulls(shape, body);
  if (validator.Check(value)) return value as Static<Schema>;
  const [first] = [...validator.Errors(value)].filter(
    ({ keyword }) => keyword === 'type' || keyword === 'required',
  );
  throw invalid(first === undefined ? 'The request body does not fit' : reasonOf(first));
}

function checkerOf(schema: TSchema): Checker {
  const known = checkers.get(schema);
  if (known !== undefined) return known;
  const shape = shapeOf(schema);
  const checker = { shape, validator: Compile(shape) };
  checkers.set(schema, checker);
  return checker;
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
