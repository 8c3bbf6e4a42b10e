// Writes the tables of a copy to a new store, and checks that they are consistent.
import type { CopyDetails } from '../../port/index-copies.ts';
import { BATCH_ROWS_MAX, encodeRows } from '../indexing/row-allocator.ts';
import { NEXT_ROW } from '../storage/index-files.ts';
import { ALL_SUMMED, IDENTITY_NUMBERS } from '../storage/integrity/identity.ts';
import { rowOfKey, seqKey } from '../storage/keys.ts';
import { decodeNamespaceRow, type NamespaceRow } from '../storage/namespace-table.ts';
import { type RecordStore, SEQ } from '../storage/record-store.ts';
import { RowSet } from '../storage/row-set.ts';
import type { CopyHead } from './copy-head.ts';
import { damaged, type Frame } from './frames.ts';
import { type Entry, readEntries, TABLES, type TableName, tableOf } from './tables.ts';

/** Bytes of entries in one transaction: large enough that its sync costs little, small enough for memory. */
const TRANSACTION_BYTES = 16 * 2 ** 20;
/** Sequence number of rows that are free before the first write; no write has it. */
const FREE_SEQ = 0;

export class TableImporter {
  readonly #store: RecordStore;
  readonly #rows = new RowSet();
  readonly #namespaces = new Map<number, NamespaceRow>();
  readonly #records = new Map<number, number>();
  readonly #ids = new Map<number, number>();
  #waiting: Frame[] = [];
  #waitingBytes = 0;
  #label = 0;
  #lastKey: Buffer | null = null;

  constructor(store: RecordStore) {
    this.#store = store;
  }

  /** The rows of all records taken. */
  get rows(): RowSet {
    return this.#rows;
  }

  /** @throws CopyFailed damaged */
  take(frame: Frame): void {
    this.#waiting.push(frame);
    this.#waitingBytes += frame.payload.length;
    if (this.#waitingBytes >= TRANSACTION_BYTES) this.#put();
  }

  /** Call once, after the last table. @throws CopyFailed damaged when tables or head are inconsistent */
  finish(head: CopyHead, seqAhead = 0): void {
    this.#put();
    this.#assertWhole(head);
    this.#store.env.transactionSync(() => {
      for (const [name, value] of Object.entries(head.numbers))
        if (!IDENTITY_NUMBERS.includes(name)) this.#store.numbers.put(name, value);
      if (seqAhead > 0) this.#store.numbers.put(SEQ, head.seq + seqAhead);
      // A copy of 0.1.0 brings records without checksums. They get them once the index is open.
      this.#store.numbers.remove(ALL_SUMMED);
      this.#store.numbers.put(NEXT_ROW, this.#rows.end);
      let part = 0;
      for (const batch of this.#rows.gaps(BATCH_ROWS_MAX))
        this.#store.freeRows.putSync(seqKey(FREE_SEQ, part++), encodeRows(batch));
    });
  }

  #put(): void {
    const frames = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#store.env.transactionSync(() => {
      for (const { label, payload } of frames) this.#putFrame(label, payload);
    });
  }

  #putFrame(label: number, payload: Buffer): void {
    const name = TABLES[label];
    if (name === undefined || label < this.#label) throw damaged('its tables are not in order');
    if (label > this.#label) this.#lastKey = null;
    this.#label = label;
    const table = tableOf(this.#store, name);
    for (const entry of readEntries(payload)) {
      if (this.#lastKey !== null && Buffer.compare(this.#lastKey, entry.key) >= 0)
        throw damaged(`the entries of its table '${name}' are not in order`);
      this.#lastKey = entry.key;
      this.#note(name, entry);
      table.putSync(entry.key, entry.value, { append: true });
    }
  }

  #note(name: TableName, { key, value }: Entry): void {
    if (name === 'namespaces') {
      const row = parseNamespace(value);
      if (this.#namespaces.has(row.namespaceId)) throw damaged('two of its namespaces have the same id');
      this.#namespaces.set(row.namespaceId, row);
    }
    if (name !== 'records' && name !== 'ids') return;
    const namespaceId = key.readUInt32BE(0);
    const counts = name === 'records' ? this.#records : this.#ids;
    counts.set(namespaceId, (counts.get(namespaceId) ?? 0) + 1);
    if (name === 'records' && !this.#rows.add(rowOfKey(key)))
      throw damaged('two of its records have the same row');
    if (name === 'ids' && !this.#rows.has(value.readUInt32LE(0)))
      throw damaged('one of its ids has no record');
  }

  #assertWhole(head: CopyHead): void {
    const counted = this.#details(head.seq);
    for (const fact of ['recordCount', 'namespaceCount', 'sizeBytes'] as const)
      if (counted[fact] !== head[fact])
        throw damaged(`its ${fact} is ${counted[fact]} instead of ${head[fact]}`);
    for (const counts of [this.#records, this.#ids])
      if ([...counts.keys()].some((namespaceId) => !this.#namespaces.has(namespaceId)))
        throw damaged('it has records of no namespace');
    for (const [namespaceId, { recordCount }] of this.#namespaces)
      for (const counts of [this.#records, this.#ids])
        if ((counts.get(namespaceId) ?? 0) !== recordCount)
          throw damaged('a namespace does not have all its records');
  }

  #details(seq: number): CopyDetails {
    let [recordCount, sizeBytes] = [0, 0];
    for (const row of this.#namespaces.values()) {
      recordCount += row.recordCount;
      sizeBytes += row.sizeBytes;
    }
    return { seq, recordCount, namespaceCount: this.#namespaces.size, sizeBytes };
  }
}

function parseNamespace(value: Buffer): NamespaceRow {
  try {
    return decodeNamespaceRow(value);
  } catch {
    throw damaged('one of its namespaces cannot be read');
  }
}
