// The records of an index by namespace and row, and their ids.

import { decodeRecord, encodeRecord, type RecordBody, type RecordParts } from '../../port/record-codec.ts';
import { type Bytes, pageOf, type Reading, rangeOf } from './database.ts';
import { idKey, idOfKey, keyAfterPrefix, namespaceIdKey, ROW_KEY_BYTES, rowKey, rowOfKey } from './keys.ts';

export interface LocatedRecord extends RecordBody {
  readonly row: number;
}

export class RecordTable {
  /** Namespace id, row -> record. */
  readonly database: Bytes;
  /** Namespace id, record id -> row. */
  readonly ids: Bytes;
  /** Reused for each record that is read: LMDB copies it. */
  readonly #rowKey = Buffer.alloc(ROW_KEY_BYTES);

  constructor(database: Bytes, ids: Bytes) {
    this.database = database;
    this.ids = ids;
  }

  /** @param parts default all */
  get(namespaceId: number, row: number, parts?: RecordParts): RecordBody | undefined {
    const value = this.database.getBinaryFast(rowKey(namespaceId, row, this.#rowKey));
    return value === undefined ? undefined : decodeRecord(value, parts);
  }

  put(namespaceId: number, row: number, record: RecordBody): void {
    this.database.putSync(rowKey(namespaceId, row), encodeRecord(record));
  }

  /** Removes a record and its id. */
  remove(namespaceId: number, row: number, id: string): void {
    this.database.removeSync(rowKey(namespaceId, row));
    this.ids.removeSync(idKey(namespaceId, id));
  }

  rowOfId(namespaceId: number, id: string): number | undefined {
    return this.ids.get(idKey(namespaceId, id))?.readUInt32LE(0);
  }

  putId(namespaceId: number, id: string, row: number): void {
    const value = Buffer.allocUnsafe(4);
    value.writeUInt32LE(row, 0);
    this.ids.putSync(idKey(namespaceId, id), value);
  }

  /** Records of a namespace in row order, from `firstRow` on. */
  *list(namespaceId: number, firstRow: number, reading: Reading = {}): Generator<LocatedRecord> {
    const range = rangeOf(rowKey(namespaceId, firstRow), keyAfterPrefix(namespaceIdKey(namespaceId)));
    for (const { key, value } of this.database.getRange({ ...range, ...reading })) {
      yield { row: rowOfKey(key), ...decodeRecord(value) };
    }
  }

  /** True when the namespace has any record. */
  hasAny(namespaceId: number): boolean {
    const start = namespaceIdKey(namespaceId);
    return this.database.getCount({ ...rangeOf(start, keyAfterPrefix(start)), limit: 1 }) > 0;
  }

  /** Ids with the prefix and their rows, in bytewise order, after `after` (exclusive). */
  *listIds(
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
}
