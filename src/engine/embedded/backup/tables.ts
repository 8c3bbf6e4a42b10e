// The tables of a copy: which databases of the store are copied, and how entries are laid out in a frame.
import type { Bytes } from '../storage/database.ts';
import type { RecordStore } from '../storage/record-store.ts';
import { damaged } from './frames.ts';

/** In the order in which they are copied; a table's index is its label. Never reorder them. */
export const TABLES = ['namespaces', 'fields', 'records', 'ids', 'changes', 'derived'] as const;
export type TableName = (typeof TABLES)[number];

export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
}

const KEY_LENGTH_BYTES = 2;
const VALUE_LENGTH_BYTES = 4;

/** The store's database of a table. */
export function tableOf(store: RecordStore, name: TableName): Bytes {
  const { namespaces, fields, records, changes, derived } = store;
  const databases: Readonly<Record<TableName, Bytes>> = {
    namespaces: namespaces.published,
    fields: fields.database,
    records: records.database,
    ids: records.ids,
    changes,
    derived: derived.database,
  };
  return databases[name];
}

export function entryBytes({ key, value }: Entry): number {
  return KEY_LENGTH_BYTES + VALUE_LENGTH_BYTES + key.length + value.length;
}

/** Layout: length of the key (u16), of the value (u32), key, value. @returns where the next entry goes */
export function writeEntry(into: Buffer, at: number, { key, value }: Entry): number {
  into.writeUInt16LE(key.length, at);
  into.writeUInt32LE(value.length, at + KEY_LENGTH_BYTES);
  const start = at + KEY_LENGTH_BYTES + VALUE_LENGTH_BYTES;
  // LMDB returns buffers that are longer than the value.
  key.copy(into, start, 0, key.length);
  value.copy(into, start + key.length, 0, value.length);
  return start + key.length + value.length;
}

/** Views of a frame's entries. @throws CopyFailed damaged */
export function* readEntries(payload: Buffer): Generator<Entry> {
  for (let at = 0; at < payload.length; ) {
    const start = at + KEY_LENGTH_BYTES + VALUE_LENGTH_BYTES;
    if (start > payload.length) throw damaged('an entry of a table is truncated');
    const keyEnd = start + payload.readUInt16LE(at);
    const end = keyEnd + payload.readUInt32LE(at + KEY_LENGTH_BYTES);
    if (end > payload.length) throw damaged('an entry of a table is truncated');
    yield { key: payload.subarray(start, keyEnd), value: payload.subarray(keyEnd, end) };
    at = end;
  }
}
