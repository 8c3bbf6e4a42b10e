// Remembers which metadata fields a namespace is known to have, so that a write stores only new names.
import type { RecordStore } from '../storage/record-store.ts';

/** Field names listed for a namespace; hostile metadata could bring millions. Further ones are filterable, not listed. */
const FIELDS_LISTED_MAX = 10_000;
const SPACES_REMEMBERED_MAX = 1_000;

export class KnownFields {
  readonly #spaces = new Map<number, Set<string>>();

  /** True once for each new field of a space. */
  isNew(store: RecordStore, spaceId: number, field: string): boolean {
    const fields = this.#fieldsOf(store, spaceId);
    if (fields.has(field) || fields.size >= FIELDS_LISTED_MAX) return false;
    fields.add(field);
    return true;
  }

  forget(spaceId: number): void {
    this.#spaces.delete(spaceId);
  }

  /** After a transaction failed: what was remembered may not be stored. */
  clear(): void {
    this.#spaces.clear();
  }

  #fieldsOf(store: RecordStore, spaceId: number): Set<string> {
    const known = this.#spaces.get(spaceId);
    if (known !== undefined) return known;
    if (this.#spaces.size >= SPACES_REMEMBERED_MAX) this.#spaces.clear();
    const fields = new Set(store.fieldsOf(spaceId));
    this.#spaces.set(spaceId, fields);
    return fields;
  }
}
