// Reads optional strings of a body.
import { invalid } from '../../../domain/faults.ts';

/** @throws invalid-argument for anything but a string */
export function optionalText(value: unknown, name: string): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw invalid(`${name} must be a string`);
  return value;
}

/**
 * The token of a page. An empty one is no way to ask for the first page again: a loop over pages would never end.
 * @throws invalid-argument
 */
export function optionalToken(value: unknown): string | undefined {
  const token = optionalText(value, 'pagination_token');
  if (token === '') throw invalid('pagination_token must not be empty');
  return token;
}
