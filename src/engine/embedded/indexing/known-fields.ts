// Remembers which metadata fields a namespace is known to have, so that a write stores only new names.
import type { RecordStore } from '../storage/record-store.ts';

/** Field names listed for a namespace; hostile metadata could bring millions. Further ones are filterable, not listed. */
const FIELDS_LISTED_MAX = 10_000;
/** Names and namespaces kept in memory, together; at their longest, names take 200 MB. */
const REMEMBERED_MAX = 100_000;

type FieldStore = Pick<RecordStore, 'fieldsOf'>;

export class KnownFields {
  readonly #spaces = new Map<number, Set<string>>();
  #remembered = 0;

  /** True once for each new field of a space. */
  isNew(store: FieldStore, namespaceId: number, field: string): boolean {
    const fields = this.#fieldsOf(store, namespaceId);
    if (fields.has(field) || fields.size >= FIELDS_LISTED_MAX) return false;
    fields.add(field);
    this.#remembered++;
    return true;
  }

  forget(namespaceId: number): void {
    const fields = this.#spaces.get(namespaceId);
    if (fields === undefined) return;
    this.#spaces.delete(namespaceId);
    this.#remembered -= 1 + fields.size;
  }

  /** After a transaction failed: what was remembered may not be stored. */
  clear(): void {
    this.#spaces.clear();
    this.#remembered = 0;
  }

  #fieldsOf(store: FieldStore, namespaceId: number): Set<string> {
    const known = this.#spaces.get(namespaceId);
    if (known !== undefined) return known;
    if (this.#remembered >= REMEMBERED_MAX) this.clear();
    const fields = new Set(store.fieldsOf(namespaceId));
    this.#spaces.set(namespaceId, fields);
    this.#remembered += 1 + fields.size;
    return fields;
  }
}
