// A cache of the metadata fields that each namespace has, so that a write stores only new names.
import type { FieldTable } from '../storage/field-table.ts';

/** Field names listed for a namespace; malicious metadata could add millions. Further ones can be filtered, but are not listed. */
const FIELDS_LISTED_MAX = 10_000;
/** Limit of cached names and namespaces together; names of maximum length take 200 MB. */
const REMEMBERED_MAX = 100_000;

type StoredFields = Pick<FieldTable, 'list'>;

export class KnownFields {
  readonly #cache = new Map<number, Set<string>>();
  #remembered = 0;

  /** True once for each new field of a namespace. */
  isNew(stored: StoredFields, namespaceId: number, field: string): boolean {
    const fields = this.#fieldsOf(stored, namespaceId);
    if (fields.has(field) || fields.size >= FIELDS_LISTED_MAX) return false;
    fields.add(field);
    this.#remembered++;
    return true;
  }

  forget(namespaceId: number): void {
    const fields = this.#cache.get(namespaceId);
    if (fields === undefined) return;
    this.#cache.delete(namespaceId);
    this.#remembered -= 1 + fields.size;
  }

  /** Call after a failed transaction: cached names may not be stored. */
  clear(): void {
    this.#cache.clear();
    this.#remembered = 0;
  }

  #fieldsOf(stored: StoredFields, namespaceId: number): Set<string> {
    const known = this.#cache.get(namespaceId);
    if (known !== undefined) return known;
    if (this.#remembered >= REMEMBERED_MAX) this.clear();
    const fields = new Set(stored.list(namespaceId));
    this.#cache.set(namespaceId, fields);
    this.#remembered += 1 + fields.size;
    return fields;
  }
}
