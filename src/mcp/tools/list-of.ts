// Reads lists of objects from answers of the interface.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

/** The objects of a list; none for anything else. */
export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
