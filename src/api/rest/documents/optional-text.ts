// Reads an optional string of a body.
import { invalid } from '../../../domain/faults.ts';

/** @throws invalid-argument for anything but a string */
export function optionalText(value: unknown, name: string): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw invalid(`${name} must be a string`);
  return value;
}
