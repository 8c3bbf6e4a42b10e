// The namespaces of an index, by name: published and staged ones, each as JSON.

import type { MetadataSchema } from '../../../domain/index-model.ts';
import { parseOwnJson } from '../../../domain/json.ts';
import { type Bytes, pageOf, rangeOf } from './database.ts';
import { keyAfterPrefix, namespaceKey, namespaceOfKey } from './keys.ts';
import type { NumberTable } from './number-table.ts';
import { isStagedName } from './staged-names.ts';

const RECORD_TOTAL = 'record-total';

/** A namespace as stored. `namespaceId` is never used for another namespace, even one of the same name. */
export interface NamespaceRow {
  readonly namespaceId: number;
  readonly recordCount: number;
  readonly sizeBytes: number;
  readonly schema: MetadataSchema | null;
  /** True when a caller created it by name; others exist only as long as they have records. */
  readonly isExplicit: boolean;
  /** What a branch shows of its base beside its own records; undefined for others. */
  readonly inherited?: Inherited | undefined;
}

export interface Inherited {
  readonly records: number;
  readonly bytes: number;
}

/** All records that a namespace shows, and their bytes. */
export function shownBy({ recordCount, sizeBytes, inherited }: NamespaceRow): Inherited {
  const { records = 0, bytes = 0 } = inherited ?? {};
  return { records: recordCount + records, bytes: sizeBytes + bytes };
}

/** The field names on disk. */
interface StoredNamespaceRow extends Omit<NamespaceRow, 'namespaceId' | 'isExplicit'> {
  readonly spaceId: number;
  /** Missing in rows of 0.1.0. */
  readonly explicit?: boolean;
}

export function encodeNamespaceRow(row: NamespaceRow): Buffer {
  const { namespaceId, recordCount, sizeBytes, schema, isExplicit, inherited } = row;
  const stored: StoredNamespaceRow = {
    spaceId: namespaceId,
    recordCount,
    sizeBytes,
    schema,
    explicit: isExplicit,
    ...(inherited !== undefined && { inherited }),
  };
  return Buffer.from(JSON.stringify(stored));
}

/** @throws SyntaxError when the value is not JSON */
export function decodeNamespaceRow(value: Buffer): NamespaceRow {
  // The store's own writes, or those of a copy, which checks the counts afterwards.
  const { spaceId, recordCount, sizeBytes, schema, explicit, inherited } = parseOwnJson<StoredNamespaceRow>(
    value.toString(),
  );
  const isExplicit = explicit ?? (schema !== null || recordCount === 0);
  const row = { namespaceId: spaceId, recordCount, sizeBytes, schema, isExplicit };
  return inherited === undefined ? row : { ...row, inherited };
}

interface NamedRow {
  readonly name: string;
  readonly row: NamespaceRow;
}

export class NamespaceTable {
  /** Namespace name -> NamespaceRow as JSON. */
  readonly published: Bytes;
  /** The same for staged namespaces, by their staged names. */
  readonly staged: Bytes;
  readonly #numbers: NumberTable;

  constructor(published: Bytes, staged: Bytes, numbers: NumberTable) {
    this.published = published;
    this.staged = staged;
    this.#numbers = numbers;
  }

  get(name: string): NamespaceRow | null {
    const value = this.#databaseOf(name).get(namespaceKey(name));
    return value === undefined ? null : decodeNamespaceRow(value);
  }

  put(name: string, row: NamespaceRow): void {
    this.#databaseOf(name).putSync(namespaceKey(name), encodeNamespaceRow(row));
  }

  remove(name: string): void {
    this.#databaseOf(name).removeSync(namespaceKey(name));
  }

  /** Published namespaces with the prefix, in bytewise order, after `after` (exclusive). */
  *list(prefix: string, after: string | null): Generator<NamedRow> {
    const range = pageOf(namespaceKey(prefix), after === null ? null : namespaceKey(after));
    for (const { key, value } of this.published.getRange(range))
      yield { name: namespaceOfKey(key), row: decodeNamespaceRow(value) };
  }

  /** The staged namespaces, by their staged names. */
  *listStaged(): Generator<NamedRow> {
    for (const { key, value } of this.staged.getRange({}))
      yield { name: namespaceOfKey(key), row: decodeNamespaceRow(value) };
  }

  /** Number of published namespaces with the prefix. */
  count(prefix: string): number {
    const start = namespaceKey(prefix);
    return this.published.getCount(rangeOf(start, keyAfterPrefix(start)));
  }

  /** Number of records in all published namespaces, which writes maintain. */
  recordTotal(): number {
    if (this.#numbers.has(RECORD_TOTAL)) return this.#numbers.get(RECORD_TOTAL);
    let total = 0;
    for (const { row } of this.list('', null)) total += row.recordCount;
    return total;
  }

  /** Call within a transaction, after the namespaces have been written. */
  addToRecordTotal(added: number): void {
    if (!this.#numbers.has(RECORD_TOTAL)) this.#numbers.put(RECORD_TOTAL, this.recordTotal());
    else if (added !== 0) this.#numbers.put(RECORD_TOTAL, this.#numbers.get(RECORD_TOTAL) + added);
  }

  #databaseOf(name: string): Bytes {
    return isStagedName(name) ? this.staged : this.published;
  }
}
