// Checks a body against its schema, whose static type a valid body has.
import type { TValidationError } from 'typebox/error';
import { type Shape, shapeOf, withoutNulls } from './shape.ts';
import type { Static, TSchema } from './type.ts';
import { validationErrors } from './validation-errors.ts';

export type CheckedBody<Body> =
  | { readonly isValid: true; readonly body: Body }
  | {
      readonly isValid: false;
      readonly shape: Shape;
      /** The body without the nulls of optional fields. */
      readonly value: unknown;
      readonly errors: readonly TValidationError[];
    };

/** Checks types, required fields and, in closed objects, unknown fields. Optional fields that are null count as absent. */
export function checkBody<Schema extends TSchema>(
  schema: Schema,
  body: unknown,
): CheckedBody<Static<Schema>> {
  const shape = shapeOf(schema);
  const value = withoutNulls(shape, body);
  const errors = validationErrors(shape, value);
  if (errors.length > 0) return { isValid: false, shape, value, errors };
  // The schema is the source of the type, and the value has just passed it.
  return { isValid: true, body: value as Static<Schema> };
}
