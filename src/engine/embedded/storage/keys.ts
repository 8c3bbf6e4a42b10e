// LMDB keys of an index. Big-endian numbers, so that byte order is number order.

/** A byte before namespace names: LMDB has no empty keys, and the default namespace is ''. */
const NAME_MARK = 'n';

export function namespaceKey(name: string): Buffer {
  return Buffer.from(NAME_MARK + name, 'latin1');
}

export function namespaceOfKey(key: Buffer): string {
  return key.toString('latin1', NAME_MARK.length);
}

/** Prefix of all keys that belong to a namespace. */
export function namespaceIdKey(namespaceId: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(namespaceId, 0);
  return key;
}

/** First key after everything that starts with `prefix`; undefined when there is none. */
export function keyAfterPrefix(prefix: Buffer): Buffer | undefined {
  const end = Buffer.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    const byte = end[i] ?? 0;
    if (byte < 0xff) {
      end[i] = byte + 1;
      return end.subarray(0, i + 1);
    }
  }
  return undefined;
}

export function idKey(namespaceId: number, id: string): Buffer {
  const key = Buffer.allocUnsafe(4 + id.length);
  key.writeUInt32BE(namespaceId, 0);
  key.write(id, 4, 'latin1');
  return key;
}

export function idOfKey(key: Buffer): string {
  return key.toString('latin1', 4);
}

export const ROW_KEY_BYTES = 8;

/** @param into buffer of ROW_KEY_BYTES to fill */
export function rowKey(namespaceId: number, row: number, into = Buffer.allocUnsafe(ROW_KEY_BYTES)): Buffer {
  into.writeUInt32BE(namespaceId, 0);
  into.writeUInt32BE(row, 4);
  return into;
}

export function rowOfKey(key: Buffer): number {
  return key.readUInt32BE(4);
}

/** Sequence numbers are below 2^48. */
export function seqKey(seq: number, part = 0): Buffer {
  const key = Buffer.allocUnsafe(10);
  key.writeUIntBE(seq, 0, 6);
  key.writeUInt32BE(part, 6);
  return key;
}

export function seqOfKey(key: Buffer): number {
  return key.readUIntBE(0, 6);
}

export function partOfKey(key: Buffer): number {
  return key.readUInt32BE(6);
}

/** Longer field names can be filtered but are not listed: LMDB keys have at most 1,978 bytes. */
export const FIELD_NAME_BYTES_MAX = 1_900;

export function fieldKey(namespaceId: number, field: string): Buffer {
  return Buffer.concat([namespaceIdKey(namespaceId), Buffer.from(`f${field}`)]);
}

export function fieldOfKey(key: Buffer): string {
  return key.toString('utf8', 5);
}
