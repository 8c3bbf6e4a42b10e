// The records of an index by namespace and row, and their ids.

import { decodeRecord, encodeRecord, type RecordBody, type RecordParts } from '../../port/record-codec.ts';
import { type Bytes, pageOf, type Reading, rangeOf } from './database.ts';
import { lacksSums, NO_ROW_SUM, putSums, SUMS_BYTES, takeSums } from './integrity/record-sums.ts';
import { idKey, idOfKey, keyAfterPrefix, namespaceIdKey, ROW_KEY_BYTES, rowKey, rowOfKey } from './keys.ts';

export interface StoredBody extends RecordBody {
  /** Checksum of its row; NO_ROW_SUM where it is not known, or there is no row. */
  readonly rowSum: number;
}

export interface LocatedRecord extends StoredBody {
  readonly row: number;
}

export class RecordTable {
  /** Namespace id, row -> record. */
  readonly database: Bytes;
  /** Namespace id, record id -> row. */
  readonly ids: Bytes;
  /** Reused for each record that is read: LMDB copies it. */
  readonly #rowKey = Buffer.alloc(ROW_KEY_BYTES);
  /** Makes the error for a damaged record; the owner of the table may replace it. */
  damage: (what: string) => Error = (what) => new Error(what);

  constructor(database: Bytes, ids: Bytes) {
    this.database = database;
    this.ids = ids;
  }

  /** @param parts default all. @throws `damage` */
  get(namespaceId: number, row: number, parts?: RecordParts, reading?: Reading): StoredBody | undefined {
    const key = rowKey(namespaceId, row, this.#rowKey);
    const value = reading === undefined ? this.database.getBinaryFast(key) : this.database.get(key, reading);
    return value === undefined ? undefined : this.#decode(value, { namespaceId, row, parts });
  }

  /** The checksum of a record's row; NO_ROW_SUM where it is not known, or the record is gone. @throws `damage` */
  rowSum(namespaceId: number, row: number): number {
    const value = this.database.getBinaryFast(rowKey(namespaceId, row, this.#rowKey));
    return value === undefined ? NO_ROW_SUM : this.#sums(value, namespaceId, row).rowSum;
  }

  put(namespaceId: number, row: number, record: StoredBody): void {
    const value = encodeRecord(record, { spareBytes: SUMS_BYTES });
    putSums(value, namespaceId, { row, rowSum: record.rowSum });
    this.database.putSync(rowKey(namespaceId, row), value);
  }

  /**
   * Looks at the next records after a key, or at the first ones.
   * @returns the keys of those that lack a checksum, and the last key looked at; null at the end
   */
  lackingSums(
    after: Buffer | null,
    { hasRows, limit }: { readonly hasRows: boolean; readonly limit: number },
  ): { readonly keys: readonly Buffer[]; readonly last: Buffer | null } {
    const start = after === null ? namespaceIdKey(0) : Buffer.concat([after, Buffer.alloc(1)]);
    const keys: Buffer[] = [];
    let last: Buffer | null = null;
    let count = 0;
    for (const { key, value } of this.database.getRange({ start, limit })) {
      if (lacksSums(value, hasRows)) keys.push(Buffer.from(key));
      last = Buffer.from(key);
      count++;
    }
    return { keys, last: count < limit ? null : last };
  }

  /**
   * Gives a record its checksums. No effect on one that is gone, has them, or is damaged.
   * @param sumOfRow the checksum of its row; NO_ROW_SUM where there are no rows
   */
  addSums(key: Buffer, sumOfRow: (row: number) => number): boolean {
    const value = this.database.getBinaryFast(key);
    if (value === undefined) return false;
    const [namespaceId, row] = [key.readUInt32BE(0), rowOfKey(key)];
    const sums = takeSums(value, namespaceId, row);
    if (sums === null) return false;
    const summed = Buffer.alloc(sums.end + SUMS_BYTES);
    value.copy(summed, 0, 0, sums.end);
    const isOwnMissing = sums.end === value.length;
    const rowSum = sums.rowSum === NO_ROW_SUM ? sumOfRow(row) : sums.rowSum;
    if (!isOwnMissing && rowSum === sums.rowSum) return false;
    putSums(summed, namespaceId, { row, rowSum });
    this.database.putSync(key, summed);
    return true;
  }

  #decode(
    value: Buffer,
    { namespaceId, row, parts }: { namespaceId: number; row: number; parts?: RecordParts | undefined },
  ): StoredBody {
    const { rowSum, end } = this.#sums(value, namespaceId, row);
    const { id, seq, sparse, metadataJson } = decodeRecord(value, parts, end);
    return { id, seq, sparse, metadataJson, rowSum };
  }

  #sums(value: Buffer, namespaceId: number, row: number): { readonly rowSum: number; readonly end: number } {
    const sums = takeSums(value, namespaceId, row);
    if (sums !== null) return sums;
    throw this.damage(`the record of namespace ${namespaceId} at row ${row} does not have its checksum`);
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

  /** Records of a namespace in row order, from `firstRow` on; with all parts by default. */
  *list(
    namespaceId: number,
    firstRow: number,
    { parts, ...reading }: Reading & { readonly parts?: RecordParts | undefined } = {},
  ): Generator<LocatedRecord> {
    const range = rangeOf(rowKey(namespaceId, firstRow), keyAfterPrefix(namespaceIdKey(namespaceId)));
    for (const { key, value } of this.database.getRange({ ...range, ...reading })) {
      const row = rowOfKey(key);
      yield { row, ...this.#decode(value, { namespaceId, row, parts }) };
    }
  }

  /** The records of all namespaces after a key of this table, at most `limit`; from the first on for an empty key. */
  listFrom(
    after: Buffer,
    limit: number,
  ): readonly (LocatedRecord & {
    readonly namespaceId: number;
    /** In hexadecimal. */
    readonly key: string;
  })[] {
    const start = after.length === 0 ? namespaceIdKey(0) : Buffer.concat([after, Buffer.alloc(1)]);
    return Array.from(this.database.getRange({ start, limit }), ({ key, value }) => {
      const [namespaceId, row] = [key.readUInt32BE(0), rowOfKey(key)];
      return { key: key.toString('hex'), namespaceId, row, ...this.#decode(value, { namespaceId, row }) };
    });
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
