// Counts how many records of each namespace have each metadata field, so that lists of fields show none of which no record
// is left.
//
// A release that does not count may have written in between, and copies bring counts of another index: then a new epoch
// begins, in which fields of earlier ones have an unknown number of records. They stay until their namespace is empty.
import { randomInt } from 'node:crypto';
import { type RecordStore, SEQ } from '../storage/record-store.ts';

/** Field names listed for a namespace; malicious metadata could add millions. Further ones can be filtered, but are not listed. */
const FIELDS_LISTED_MAX = 10_000;
/** Limit of cached names and namespaces together; names of maximum length take 200 MB. */
const REMEMBERED_MAX = 100_000;
/** Names of the numbers of the last write that was counted, and of its epoch. */
const COUNTED_SEQ = 'fields-counted';
const EPOCH = 'fields-epoch';
const EPOCH_MAX = 2 ** 32 - 1;
/** More than all records. */
const UNKNOWN = Number.POSITIVE_INFINITY;

export class ListedFields {
  readonly #store: Pick<RecordStore, 'fields' | 'numbers'>;
  readonly #epoch: number;
  readonly #cache = new Map<number, Map<string, number>>();
  #remembered = 0;
  /** What this transaction has changed, as it was before. */
  readonly #changed = new Map<number, Map<string, number>>();

  constructor(store: Pick<RecordStore, 'fields' | 'numbers'>) {
    const { numbers } = store;
    this.#store = store;
    const isCounted = numbers.get(COUNTED_SEQ) === numbers.get(SEQ) && numbers.get(EPOCH) > 0;
    this.#epoch = isCounted ? numbers.get(EPOCH) : randomInt(1, EPOCH_MAX);
  }

  /** A record has these fields from now on. Call within a transaction, like all methods but `clear`. */
  added(namespaceId: number, names: readonly string[]): void {
    const fields = this.#fieldsOf(namespaceId);
    for (const name of names) {
      const count = fields.get(name);
      if (count !== undefined) this.#set(namespaceId, name, { before: count, now: count + 1 });
      else if (fields.size < FIELDS_LISTED_MAX) {
        this.#remembered++;
        this.#set(namespaceId, name, { before: 0, now: 1 });
      }
    }
  }

  /** A record that had these fields is gone, or changed. */
  removed(namespaceId: number, names: readonly string[]): void {
    const fields = this.#fieldsOf(namespaceId);
    for (const name of names) {
      const count = fields.get(name) ?? 0;
      if (count > 0) this.#set(namespaceId, name, { before: count, now: count - 1 });
    }
  }

  /** A namespace has no records left, and so no fields. */
  emptied(namespaceId: number): void {
    for (const [name, before] of this.#fieldsOf(namespaceId))
      this.#set(namespaceId, name, { before, now: 0 });
  }

  /** A namespace is dropped: its names go with its records. */
  dropped(namespaceId: number): void {
    this.#write(namespaceId);
    const fields = this.#cache.get(namespaceId);
    if (fields === undefined) return;
    this.#cache.delete(namespaceId);
    this.#remembered -= 1 + fields.size;
  }

  /** Writes the counts. Call last. @param seq of the last write of the transaction */
  finish(seq: number): void {
    const { numbers } = this.#store;
    for (const namespaceId of [...this.#changed.keys()]) this.#write(namespaceId);
    numbers.put(COUNTED_SEQ, seq);
    if (numbers.get(EPOCH) !== this.#epoch) numbers.put(EPOCH, this.#epoch);
  }

  /** Call after a failed transaction: cached counts may not be stored. */
  clear(): void {
    this.#changed.clear();
    this.#cache.clear();
    this.#remembered = 0;
  }

  #set(
    namespaceId: number,
    name: string,
    { before, now }: { readonly before: number; readonly now: number },
  ): void {
    this.#cache.get(namespaceId)?.set(name, now);
    const changed = this.#changed.get(namespaceId) ?? new Map<string, number>();
    if (changed.size === 0) this.#changed.set(namespaceId, changed);
    if (!changed.has(name)) changed.set(name, before);
  }

  #write(namespaceId: number): void {
    const fields = this.#cache.get(namespaceId);
    for (const [name, before] of this.#changed.get(namespaceId) ?? []) {
      const records = fields?.get(name) ?? 0;
      if (records === 0) {
        if (fields?.delete(name)) this.#remembered--;
        if (before > 0) this.#store.fields.remove(namespaceId, name);
      } else if (records !== before)
        this.#store.fields.put(namespaceId, name, { records, epoch: this.#epoch });
    }
    this.#changed.delete(namespaceId);
  }

  #fieldsOf(namespaceId: number): Map<string, number> {
    const known = this.#cache.get(namespaceId);
    if (known !== undefined) return known;
    if (this.#remembered >= REMEMBERED_MAX) {
      for (const each of [...this.#changed.keys()]) this.#write(each);
      this.clear();
    }
    const fields = new Map<string, number>();
    for (const [name, { records, epoch }] of this.#store.fields.counts(namespaceId))
      fields.set(name, epoch === this.#epoch ? records : UNKNOWN);
    this.#cache.set(namespaceId, fields);
    this.#remembered += 1 + fields.size;
    return fields;
  }
}
