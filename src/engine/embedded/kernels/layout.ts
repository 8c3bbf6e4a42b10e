// The layout of the memory that threads and kernel share: frames, metadata, and the scratch space of a thread.
import type { Metric } from '../../../domain/index-model.ts';
import {
  CODE_ALIGN_BYTES,
  FRAME_BYTES,
  HEAP_ENTRY_BYTES,
  HEAP_HEADER_BYTES,
  META_BYTES,
  METRIC_COSINE,
  METRIC_DOT_PRODUCT,
  METRIC_EUCLIDEAN,
  QUERY_HEADER_BYTES,
} from './constants.ts';

export * from './constants.ts';

/** How the kernel numbers metrics. */
export const METRIC_NUMBERS: Readonly<Record<Metric, number>> = {
  dotproduct: METRIC_DOT_PRODUCT,
  cosine: METRIC_COSINE,
  euclidean: METRIC_EUCLIDEAN,
};

/** Alignment of the blocks of a scratch space. */
const SCRATCH_ALIGN_BYTES = 64;

/** Header, 256 positions, a bitmap of 65,536 bits, and a table of 8,192 buckets of 16 bytes. */
export const SPARSE_QUERY_BYTES = 16 + 256 * 4 + 8192 + 8192 * 16;

/** Bytes of a row's codes. */
export function codeStride(dim: number): number {
  return Math.ceil(dim / CODE_ALIGN_BYTES) * CODE_ALIGN_BYTES;
}

/** Rows in a frame; 3 at the maximum dimension. */
export function rowsPerFrame(dim: number): number {
  return Math.floor(FRAME_BYTES / (codeStride(dim) + META_BYTES));
}

/** Byte offset of a row's codes in its frame. */
export function codeOffset(dim: number, row: number): number {
  return row * codeStride(dim);
}

/** Byte offset of a row's metadata in its frame. */
export function metaOffset(dim: number, row: number): number {
  return rowsPerFrame(dim) * codeStride(dim) + row * META_BYTES;
}

/** Bytes of a dense query's block. */
export function queryBytes(dim: number): number {
  return QUERY_HEADER_BYTES + 6 * codeStride(dim);
}

/** Bytes of a heap of this many entries. */
export function heapBytes(capacity: number): number {
  return HEAP_HEADER_BYTES + HEAP_ENTRY_BYTES * capacity;
}

/** Addresses of the blocks that a search works in. */
export interface Scratch {
  readonly query: number;
  readonly sparseQuery: number;
  readonly heap: number;
  /** First byte after the last block. */
  readonly end: number;
}

/** Lays out a search's blocks from `address` on; each thread needs its own. */
export function layOutScratch(address: number, dim: number, heapCapacity: number): Scratch {
  const query = align(address);
  const sparseQuery = align(query + queryBytes(dim));
  const heap = align(sparseQuery + SPARSE_QUERY_BYTES);
  return { query, sparseQuery, heap, end: align(heap + heapBytes(heapCapacity)) };
}

/** Bytes that `layOutScratch` needs from an address that is a multiple of 64. */
export function scratchBytes(dim: number, heapCapacity: number): number {
  return layOutScratch(0, dim, heapCapacity).end;
}

function align(address: number): number {
  return Math.ceil(address / SCRATCH_ALIGN_BYTES) * SCRATCH_ALIGN_BYTES;
}
