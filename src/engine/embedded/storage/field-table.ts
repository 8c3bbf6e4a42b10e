// How many records of each namespace have each metadata field.
import { type Bytes, rangeOf } from './database.ts';
import { fieldKey, fieldOfKey, keyAfterPrefix, namespaceIdKey } from './keys.ts';

const VALUE_BYTES = 8;

export interface FieldCount {
  readonly records: number;
  /** Counts of one epoch are right together; 0 for a field of a release that did not count. */
  readonly epoch: number;
}

export class FieldTable {
  /** Namespace id, metadata field -> count u32, epoch u32; nothing in releases that did not count. */
  readonly database: Bytes;

  constructor(database: Bytes) {
    this.database = database;
  }

  put(namespaceId: number, field: string, { records, epoch }: FieldCount): void {
    const value = Buffer.allocUnsafe(VALUE_BYTES);
    value.writeUInt32LE(records, 0);
    value.writeUInt32LE(epoch, 4);
    this.database.putSync(fieldKey(namespaceId, field), value);
  }

  remove(namespaceId: number, field: string): void {
    this.database.removeSync(fieldKey(namespaceId, field));
  }

  *list(namespaceId: number): Generator<string> {
    const start = namespaceIdKey(namespaceId);
    for (const key of this.database.getKeys(rangeOf(start, keyAfterPrefix(start)))) yield fieldOfKey(key);
  }

  *counts(namespaceId: number): Generator<readonly [field: string, FieldCount]> {
    const start = namespaceIdKey(namespaceId);
    for (const { key, value } of this.database.getRange(rangeOf(start, keyAfterPrefix(start)))) {
      const isCounted = value.length === VALUE_BYTES;
      const [records, epoch] = isCounted ? [value.readUInt32LE(0), value.readUInt32LE(4)] : [0, 0];
      yield [fieldOfKey(key), { records, epoch }];
    }
  }
}
