// Packed records as the content of a frame.
import { Buffer } from 'node:buffer';
import { CopyFailed } from './copy-failed.ts';
import { type PackedRecords, unpackRecords } from './packed-records.ts';
import type { StorableRecord } from './reader-and-writer.ts';

/** Number of records u32, bytes of values u32. */
const HEADER_BYTES = 8;

export function frameContent({ count, values, bodies }: PackedRecords): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  const floats =
    values === null ? Buffer.alloc(0) : Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  header.writeUInt32LE(count, 0);
  header.writeUInt32LE(floats.length, 4);
  return Buffer.concat([header, floats, bodies]);
}

/** @param dimension null on sparse indexes. @throws CopyFailed damaged */
export function recordsIn(content: Buffer, dimension: number | null): readonly StorableRecord[] {
  const count = content.readUInt32LE(0);
  const valueBytes = content.readUInt32LE(4);
  if (valueBytes !== 4 * count * (dimension ?? 0))
    throw new CopyFailed('damaged', 'a batch of records has another dimension');
  const own = new Uint8Array(content.subarray(HEADER_BYTES));
  const values = dimension === null ? null : new Float32Array(own.buffer, 0, valueBytes / 4);
  return unpackRecords({ count, values, bodies: own.slice(valueBytes) });
}
