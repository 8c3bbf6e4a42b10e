// Many records in a few buffers, which threads transfer without copying.
//
// Bodies have the layout that the embedded engine stores, so bulk reads and writes need no conversion.

import type { StorableRecord } from './reader-and-writer.ts';
import { decodeRecord, encodeRecord } from './record-codec.ts';

export interface PackedRecords {
  readonly count: number;
  /** Dense values, record after record; null on sparse indexes. */
  readonly values: Float32Array<ArrayBuffer> | null;
  /** For each record, the length of its body in bytes (u32, little-endian), then the body. */
  readonly bodies: Uint8Array<ArrayBuffer>;
}

const LENGTH_BYTES = 4;

/** Packs records. @param dimension null on sparse indexes. @throws RangeError when a record has another dimension */
export function packRecords(records: readonly StorableRecord[], dimension: number | null): PackedRecords {
  const bodies = records.map((record) => encodeRecord({ ...record, seq: 0 }));
  return { count: records.length, values: packValues(records, dimension), bodies: packBodies(bodies) };
}

/** Unpacks records, whose values are views of the packed ones. @throws RangeError when there are not `count` bodies */
export function unpackRecords({ count, values, bodies }: PackedRecords): StorableRecord[] {
  const bytes = Buffer.from(bodies.buffer, bodies.byteOffset, bodies.byteLength);
  const dimension = values === null ? 0 : values.length / count;
  const records: StorableRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + LENGTH_BYTES;
    const end = start + bytes.readUInt32LE(at);
    const { id, sparse, metadataJson } = decodeRecord(bytes.subarray(start, end));
    const first = records.length * dimension;
    records.push({ id, values: values?.subarray(first, first + dimension) ?? null, sparse, metadataJson });
    at = end;
  }
  if (records.length !== count) throw new RangeError(`expected ${count} records, got ${records.length}`);
  return records;
}

/** The total size of the buffers in bytes. */
export function packedBytes({ values, bodies }: PackedRecords): number {
  return bodies.byteLength + (values?.byteLength ?? 0);
}

/** The buffers, for transfer to another thread. */
export function buffersOf({ values, bodies }: PackedRecords): readonly ArrayBuffer[] {
  return values === null ? [bodies.buffer] : [bodies.buffer, values.buffer];
}

/** Joins encoded records, each after its length. */
export function packBodies(bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const total = bodies.reduce((sum, body) => sum + LENGTH_BYTES + body.length, 0);
  const packed = Buffer.from(new ArrayBuffer(total));
  let at = 0;
  for (const body of bodies) {
    at = packed.writeUInt32LE(body.length, at);
    packed.set(body, at);
    at += body.length;
  }
  return new Uint8Array(packed.buffer);
}

function packValues(
  records: readonly StorableRecord[],
  dimension: number | null,
): Float32Array<ArrayBuffer> | null {
  if (dimension === null) return null;
  const values = new Float32Array(records.length * dimension);
  records.forEach((record, i) => {
    if (record.values?.length !== dimension)
      throw new RangeError(
        `expected ${dimension} values in record '${record.id}', got ${record.values?.length ?? 0}`,
      );
    values.set(record.values, i * dimension);
  });
  return values;
}
