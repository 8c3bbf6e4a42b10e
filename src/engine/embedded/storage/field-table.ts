// The metadata fields that each namespace has had.
import { type Bytes, rangeOf } from './database.ts';
import { fieldKey, fieldOfKey, keyAfterPrefix, namespaceIdKey } from './keys.ts';

const EMPTY = Buffer.alloc(0);

export class FieldTable {
  /** Namespace id, metadata field -> nothing. */
  readonly database: Bytes;

  constructor(database: Bytes) {
    this.database = database;
  }

  add(namespaceId: number, field: string): void {
    this.database.putSync(fieldKey(namespaceId, field), EMPTY);
  }

  *list(namespaceId: number): Generator<string> {
    const start = namespaceIdKey(namespaceId);
    for (const key of this.database.getKeys(rangeOf(start, keyAfterPrefix(start)))) yield fieldOfKey(key);
  }
}
