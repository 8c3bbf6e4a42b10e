// The layout of a record as an LMDB value: header, id, sparse vector, metadata text. Dense values are in the row file.
import type { SparseVector } from './reader-and-writer.ts';

/** A record without its dense values. */
export interface RecordBody {
  readonly id: string;
  /** LSN of the write that last changed it. */
  readonly seq: number;
  readonly sparse: SparseVector | null;
  readonly metadataJson: string | null;
}

/** Parts of a record to decode, beside its id and LSN; the others decode as null. */
export interface RecordParts {
  readonly sparse: boolean;
  readonly metadata: boolean;
}

const ALL_PARTS: RecordParts = { sparse: true, metadata: true };
const HAS_METADATA = 1;
const HAS_SPARSE = 2;
const HEADER_BYTES = 9;
const SEQ_BYTES = 6;

/**
 * Encodes a record.
 *
 * Layout: flags u8, id length u16, seq u48, id (ASCII), [n u32, indices u32 x n, values f32 x n], [metadata UTF-8].
 *
 * @param spareBytes left at the end for the caller
 */
export function encodeRecord(record: RecordBody, { spareBytes = 0 } = {}): Buffer {
  const { sparse, metadataJson } = record;
  const entries = sparse === null ? 0 : sparse.indices.length;
  const sparseBytes = sparse === null ? 0 : 4 + entries * 8;
  const metadataBytes = metadataJson === null ? 0 : Buffer.byteLength(metadataJson);
  const out = Buffer.allocUnsafe(HEADER_BYTES + record.id.length + sparseBytes + metadataBytes + spareBytes);
  out[0] = (metadataJson === null ? 0 : HAS_METADATA) | (sparse === null ? 0 : HAS_SPARSE);
  out.writeUInt16LE(record.id.length, 1);
  out.writeUIntLE(record.seq, 3, SEQ_BYTES);
  let at = HEADER_BYTES + out.write(record.id, HEADER_BYTES, 'latin1');
  if (sparse !== null) {
    at = out.writeUInt32LE(entries, at);
    out.set(bytesOf(sparse.indices), at);
    out.set(bytesOf(sparse.values), at + entries * 4);
    at += entries * 8;
  }
  if (metadataJson !== null) out.write(metadataJson, at);
  return out;
}

/**
 * Decodes a record. Copies out of `value`, which may be reused afterwards. LMDB hands out buffers that are longer than
 * the value, with `length` set to where it ends.
 *
 * @param end where the record ends in the value
 */
export function decodeRecord(value: Buffer, parts = ALL_PARTS, end = value.length): RecordBody {
  const flags = value[0] ?? 0;
  const idEnd = HEADER_BYTES + value.readUInt16LE(1);
  const entries = (flags & HAS_SPARSE) === 0 ? null : value.readUInt32LE(idEnd);
  const sparseEnd = idEnd + (entries === null ? 0 : 4 + entries * 8);
  const hasMetadata = parts.metadata && (flags & HAS_METADATA) !== 0;
  return {
    id: value.toString('latin1', HEADER_BYTES, idEnd),
    seq: value.readUIntLE(3, SEQ_BYTES),
    sparse: parts.sparse && entries !== null ? decodeSparse(value, idEnd + 4, entries) : null,
    metadataJson: hasMetadata ? value.toString('utf8', sparseEnd, end) : null,
  };
}

function decodeSparse(value: Buffer, at: number, entries: number): SparseVector {
  const indices = new Uint32Array(entries);
  const values = new Float32Array(entries);
  bytesOf(indices).set(value.subarray(at, at + entries * 4));
  bytesOf(values).set(value.subarray(at + entries * 4, at + entries * 8));
  return { indices, values };
}

function bytesOf(array: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
