// Reads lists of objects from answers of the interface.
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';

/** The objects of a list; none for anything else. */
export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** How to get the page behind an answer; nothing on the last one. */
export function nextPage({ pagination }: JsonObject): JsonObject {
  const { next } = membersOf(pagination);
  return next === undefined ? {} : { next_page: next };
}
