// Validates a JSON value against a shape and reports errors as the schema library does, without loading the library
// (docs/decisions/002-libraries.md).

import type { TValidationError } from 'typebox/error';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { JsonType, Shape } from './shape.ts';

/** The library stops at this number too: a malicious body could have millions of errors. */
const ERRORS_MAX = 8;

type ValidationErrors = readonly TValidationError[];
const NONE: ValidationErrors = [];
/** Paths are built from the inside out, so that valid parts cost nothing. */
const HERE = { schemaPath: '', instancePath: '' };

const IS_OF_TYPE: Readonly<Record<JsonType, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isJsonObject,
  string: (value) => typeof value === 'string',
};

/** The first ERRORS_MAX errors, in the library's order and form; none if the value is valid. */
export function validationErrors(shape: Shape, value: unknown): ValidationErrors {
  const found = errorsOf(shape, value).slice(0, ERRORS_MAX);
  return found.map((error) => ({ ...error, schemaPath: `#${error.schemaPath}` }));
}

function errorsOf(shape: Shape | false, value: unknown): ValidationErrors {
  if (shape === false) return [{ keyword: 'boolean', ...HERE, params: {} }];
  const { type, items } = shape;
  const wrong: ValidationErrors =
    type === undefined || IS_OF_TYPE[type](value) ? NONE : [{ keyword: 'type', ...HERE, params: { type } }];
  if (isJsonObject(value)) {
    return [
      ...wrong,
      ...missing(shape, value),
      ...errorsOfOtherMembers(shape, value),
      ...errorsOfKnownMembers(shape, value),
    ];
  }
  if (items === undefined || !Array.isArray(value)) return wrong;
  return [...wrong, ...firstOf(value, (item, at) => below(errorsOf(items, item), 'items', at))];
}

function missing({ required = [] }: Shape, value: JsonObject): ValidationErrors {
  const requiredProperties = required.filter((name) => !Object.hasOwn(value, name));
  return requiredProperties.length === 0
    ? NONE
    : [{ keyword: 'required', ...HERE, params: { requiredProperties } }];
}

/** Errors of members that `properties` does not name: those of each, then one that lists them. */
function errorsOfOtherMembers(
  { properties = {}, additionalProperties: other = true }: Shape,
  value: JsonObject,
): ValidationErrors {
  if (other === true) return NONE;
  const additionalProperties: string[] = [];
  const found = firstOf(Object.keys(value), (name) => {
    if (Object.hasOwn(properties, name)) return NONE;
    const inside = errorsOf(other, value[name]);
    if (inside.length > 0) additionalProperties.push(name);
    return below(inside, 'additionalProperties', name);
  });
  if (found.length === 0) return NONE;
  return [...found, { keyword: 'additionalProperties', ...HERE, params: { additionalProperties } }];
}

/** An optional member that is undefined, which JSON cannot express, counts as absent. */
function errorsOfKnownMembers(
  { properties = {}, required = [] }: Shape,
  value: JsonObject,
): ValidationErrors {
  return firstOf(Object.entries(properties), ([name, shape]) => {
    if (!Object.hasOwn(value, name)) return NONE;
    const member = value[name];
    if (member === undefined && !required.includes(name)) return NONE;
    return below(errorsOf(shape, member), `properties/${escaped(name)}`, name);
  });
}

/** The errors that `check` finds in the parts; stops at ERRORS_MAX. */
function firstOf<Part>(
  parts: readonly Part[],
  check: (part: Part, at: number) => ValidationErrors,
): ValidationErrors {
  let found = NONE;
  let at = 0;
  // A list may have hundreds of thousands, nearly all of them valid: those allocate nothing.
  for (const part of parts) {
    const more = check(part, at++);
    if (more.length > 0) found = [...found, ...more];
    if (found.length >= ERRORS_MAX) break;
  }
  return found;
}

/** The same errors, relative to the parent. */
function below(errors: ValidationErrors, schemaStep: string, name: string | number): ValidationErrors {
  if (errors.length === 0) return NONE;
  return errors.map((error) => ({
    ...error,
    schemaPath: `/${schemaStep}${error.schemaPath}`,
    instancePath: `/${escaped(`${name}`)}${error.instancePath}`,
  }));
}

/** A step of a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
