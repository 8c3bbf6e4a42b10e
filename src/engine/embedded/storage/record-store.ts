// The records of one index in LMDB: its databases, their keys and values. Every thread opens a RecordStore of its own on
// the same folder; only the index's writer calls the write methods.
import { existsSync } from 'node:fs';
import { type Database, open, type RootDatabase, type Transaction } from 'lmdb';
import { decodeRecord, encodeRecord, type RecordBody, type RecordParts } from '../../port/record-codec.ts';
import {
  fieldKey,
  fieldOfKey,
  idKey,
  idOfKey,
  keyAfterPrefix,
  namespaceIdKey,
  namespaceKey,
  namespaceOfKey,
  ROW_KEY_BYTES,
  rowKey,
  rowOfKey,
} from './keys.ts';
import { decodeNamespaceRow, encodeNamespaceRow, type NamespaceRow } from './namespace-row.ts';
import { isStagedName } from './staged-names.ts';

/** The files derived from a namespace, by segment. */
export interface DerivedRow {
  /** Identifies a load of the namespace from its records: files of different loads do not go together. */
  readonly generation: string;
  readonly segments: readonly DerivedSegment[];
}

/** Which files of a segment are valid, and from where the change log must be replayed on them. */
export interface DerivedSegment {
  /** Tags of valid files: two while one replaces another. */
  readonly tags: readonly string[];
  /** At or before the first write since the file was made; null when there was none. */
  readonly changedSeq: number | null;
  /** The same for the file that is being written. */
  readonly nextChangedSeq: number | null;
}

export interface LocatedRecord extends RecordBody {
  readonly row: number;
}

type Bytes = Database<Buffer, Buffer>;
type Reading = { readonly transaction?: Transaction };

/** Name of the counter of writes: the sequence number of the last one, its LSN. */
export const SEQ = 'seq';
const RECORD_TOTAL = 'record-total';
const READERS_MAX = 126;
const DATABASES_MAX = 16;
const DATABASES = [
  'meta',
  'namespaces',
  'ids',
  'records',
  'free-rows',
  'garbage',
  'changes',
  'fields',
  'derived',
  'staged',
];

export class RecordStore {
  readonly env: RootDatabase<Buffer, Buffer>;
  /** Numbers about the whole index, by name. */
  readonly meta: Bytes;
  /** Name -> NamespaceRow as JSON. */
  readonly namespaces: Bytes;
  /** The same for staged namespaces, by their staged names. */
  readonly staged: Bytes;
  /** Namespace id, record id -> row. */
  readonly ids: Bytes;
  /** Namespace id, row -> record. */
  readonly records: Bytes;
  /** Sequence number, part -> rows that this write freed. */
  readonly freeRows: Bytes;
  /** Ids of dropped namespaces whose records wait to be removed. */
  readonly garbage: Bytes;
  /** The write-ahead change log. Sequence number -> rows added and removed; kept while something must replay it. */
  readonly changes: Bytes;
  /** Namespace id, metadata field -> nothing. */
  readonly fields: Bytes;
  /** Namespace id -> DerivedRow as JSON. */
  readonly derived: Bytes;
  /** Reused for each record that is read: LMDB copies it. */
  readonly #rowKey = Buffer.alloc(ROW_KEY_BYTES);

  constructor(path: string) {
    const isNew = !existsSync(path);
    this.env = open<Buffer, Buffer>({
      path,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      maxDbs: DATABASES_MAX,
      maxReaders: READERS_MAX,
      // A commit returns only when it is durable; the default returns earlier.
      overlappingSync: false,
    });
    const database = (name: string): Bytes =>
      this.env.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
    // Created one by one, each would need a commit with a sync of its own.
    if (isNew) this.env.transactionSync(() => DATABASES.forEach(database));
    this.meta = database('meta');
    this.namespaces = database('namespaces');
    this.ids = database('ids');
    this.records = database('records');
    this.freeRows = database('free-rows');
    this.garbage = database('garbage');
    this.changes = database('changes');
    this.fields = database('fields');
    this.derived = database('derived');
    this.staged = database('staged');
  }

  /** Makes later reads on this thread see every commit made before this call. */
  refresh(): void {
    this.env.resetReadTxn();
  }

  /** Later reads on this thread show the store as it is now, until the event loop turns or the next `refresh`. */
  hold(): void {
    this.env.useReadTransaction().done();
  }

  getNumber(name: string): number {
    const value = this.meta.get(Buffer.from(name));
    return value === undefined ? 0 : value.readDoubleLE(0);
  }

  putNumber(name: string, value: number): void {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleLE(value, 0);
    this.meta.putSync(Buffer.from(name), bytes);
  }

  /** Number of records in all published namespaces, which writes maintain. */
  recordTotal(): number {
    if (this.meta.get(Buffer.from(RECORD_TOTAL)) !== undefined) return this.getNumber(RECORD_TOTAL);
    let total = 0;
    for (const { row } of this.namespacesFrom('', null)) total += row.recordCount;
    return total;
  }

  /** Call within a transaction, after the namespaces have been written. */
  addToRecordTotal(added: number): void {
    const isKept = this.meta.get(Buffer.from(RECORD_TOTAL)) !== undefined;
    if (!isKept) this.putNumber(RECORD_TOTAL, this.recordTotal());
    else if (added !== 0) this.putNumber(RECORD_TOTAL, this.getNumber(RECORD_TOTAL) + added);
  }

  namespace(name: string): NamespaceRow | null {
    const value = this.#tableOf(name).get(namespaceKey(name));
    return value === undefined ? null : decodeNamespaceRow(value);
  }

  putNamespace(name: string, row: NamespaceRow): void {
    this.#tableOf(name).putSync(namespaceKey(name), encodeNamespaceRow(row));
  }

  removeNamespace(name: string): void {
    this.#tableOf(name).removeSync(namespaceKey(name));
  }

  /** The staged namespaces, by their staged names. */
  *stagedNamespaces(): Generator<{ name: string; row: NamespaceRow }> {
    for (const { key, value } of this.staged.getRange({}))
      yield { name: namespaceOfKey(key), row: decodeNamespaceRow(value) };
  }

  /** Namespaces with the prefix, in bytewise order, after `after` (exclusive). */
  *namespacesFrom(prefix: string, after: string | null): Generator<{ name: string; row: NamespaceRow }> {
    const range = pageOf(namespaceKey(prefix), after === null ? null : namespaceKey(after));
    for (const { key, value } of this.namespaces.getRange(range)) {
      yield { name: namespaceOfKey(key), row: decodeNamespaceRow(value) };
    }
  }

  countNamespaces(prefix: string): number {
    const start = namespaceKey(prefix);
    return this.namespaces.getCount(rangeOf(start, keyAfterPrefix(start)));
  }

  rowOfId(namespaceId: number, id: string): number | undefined {
    return this.ids.get(idKey(namespaceId, id))?.readUInt32LE(0);
  }

  putId(namespaceId: number, id: string, row: number): void {
    const value = Buffer.allocUnsafe(4);
    value.writeUInt32LE(row, 0);
    this.ids.putSync(idKey(namespaceId, id), value);
  }

  /** @param parts default all */
  record(namespaceId: number, row: number, parts?: RecordParts): RecordBody | undefined {
    const value = this.records.getBinaryFast(rowKey(namespaceId, row, this.#rowKey));
    return value === undefined ? undefined : decodeRecord(value, parts);
  }

  putRecord(namespaceId: number, row: number, record: RecordBody): void {
    this.records.putSync(rowKey(namespaceId, row), encodeRecord(record));
  }

  removeRecord(namespaceId: number, row: number, id: string): void {
    this.records.removeSync(rowKey(namespaceId, row));
    this.ids.removeSync(idKey(namespaceId, id));
  }

  /** Records of a namespace in row order, from `firstRow` on. */
  *recordsFrom(namespaceId: number, firstRow: number, reading: Reading = {}): Generator<LocatedRecord> {
    const range = rangeOf(rowKey(namespaceId, firstRow), keyAfterPrefix(namespaceIdKey(namespaceId)));
    for (const { key, value } of this.records.getRange({ ...range, ...reading })) {
      yield { row: rowOfKey(key), ...decodeRecord(value) };
    }
  }

  hasRecords(namespaceId: number): boolean {
    const start = namespaceIdKey(namespaceId);
    return this.records.getCount({ ...rangeOf(start, keyAfterPrefix(start)), limit: 1 }) > 0;
  }

  /** Ids with the prefix and their rows, in bytewise order, after `after` (exclusive). */
  *idsFrom(
    namespaceId: number,
    prefix: string,
    after: string | null,
    reading: Reading = {},
  ): Generator<{ id: string; row: number }> {
    const range = pageOf(idKey(namespaceId, prefix), after === null ? null : idKey(namespaceId, after));
    for (const { key, value } of this.ids.getRange({ ...range, ...reading })) {
      yield { id: idOfKey(key), row: value.readUInt32LE(0) };
    }
  }

  addField(namespaceId: number, field: string): void {
    this.fields.putSync(fieldKey(namespaceId, field), EMPTY);
  }

  *fieldsOf(namespaceId: number): Generator<string> {
    const start = namespaceIdKey(namespaceId);
    for (const key of this.fields.getKeys(rangeOf(start, keyAfterPrefix(start)))) yield fieldOfKey(key);
  }

  *derivedRows(): Generator<{ namespaceId: number; row: DerivedRow }> {
    for (const { key, value } of this.derived.getRange({}))
      yield { namespaceId: key.readUInt32BE(0), row: JSON.parse(value.toString()) as DerivedRow };
  }

  /** @param row null to remove it */
  putDerived(namespaceId: number, row: DerivedRow | null): void {
    if (row === null) this.derived.removeSync(namespaceIdKey(namespaceId));
    else this.derived.putSync(namespaceIdKey(namespaceId), Buffer.from(JSON.stringify(row)));
  }

  async close(): Promise<void> {
    await this.env.close();
  }

  #tableOf(name: string): Bytes {
    return isStagedName(name) ? this.staged : this.namespaces;
  }
}

const EMPTY = Buffer.alloc(0);
const ZERO = Buffer.alloc(1);

/** Keys with the prefix that come after `after`, which need not have the prefix itself. */
function pageOf(prefix: Buffer, after: Buffer | null): { start: Buffer; end?: Buffer } {
  const next = after === null ? prefix : Buffer.concat([after, ZERO]);
  return rangeOf(Buffer.compare(next, prefix) < 0 ? prefix : next, keyAfterPrefix(prefix));
}

export function rangeOf(start: Buffer, end: Buffer | undefined): { start: Buffer; end?: Buffer } {
  return end === undefined ? { start } : { start, end };
}
