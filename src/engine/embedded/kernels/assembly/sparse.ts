// Exact scan of sparse frames: the query's terms in a hash table, behind a bitmap that rejects most indices.
import { SPARSE_ENTRY_HEADER_BYTES } from '../constants';
import { countOffered, heapThreshold, keepIfBetter } from './heap';

/** A sparse query's block: hash multiplier u32, table shift u32, positions, bitmap, table. */
const SPARSE_MULTIPLIER = 0;
const SPARSE_SHIFT = 4;
/** Positions u32 that passed the bitmap, of one chunk of a vector's terms. */
const SPARSE_PASSED = 16;
const CHUNK_TERMS = 256;
const SPARSE_BITMAP = SPARSE_PASSED + 4 * CHUNK_TERMS;
/** One bit for each value of the high 16 bits of a hash. */
const SPARSE_BITMAP_BYTES = 8192;
const SPARSE_TABLE = SPARSE_BITMAP + SPARSE_BITMAP_BYTES;
/** A bucket of the table: index u32, used u32, value f64. */
const BUCKET_BITS = 4;
const BUCKET_USED = 4;
const BUCKET_VALUE = 8;

/** Terms that the last `dotEntry` found on both sides. */
let sharedTerms: i32 = 0;

/**
 * Fills the block at `query` (16-byte aligned) from `count` distinct indices and their values. `multiplier` is odd, and
 * should be random so that no caller can choose indices that collide.
 */
export function prepareSparseQuery(indices: usize, values: usize, count: i32, multiplier: u32, query: usize): void {
  const bits = max(4, 33 - clz(<u32>count));
  store<u32>(query, multiplier, SPARSE_MULTIPLIER);
  store<u32>(query, 32 - bits, SPARSE_SHIFT);
  memory.fill(query + SPARSE_BITMAP, 0, SPARSE_BITMAP_BYTES);
  memory.fill(query + SPARSE_TABLE, 0, <usize>1 << (bits + BUCKET_BITS));
  for (let at = 0; at < count; at++) {
    const index = load<u32>(indices + (<usize>at << 2));
    const hash = index * multiplier;
    const word = query + <usize>((hash >>> 21) << 2);
    store<u32>(word, load<u32>(word, SPARSE_BITMAP) | (1 << ((hash >>> 16) & 31)), SPARSE_BITMAP);
    const bucket = bucketOf(query, index);
    store<u32>(bucket, index);
    store<u32>(bucket, 1, BUCKET_USED);
    store<f64>(bucket, <f64>load<f32>(values + (<usize>at << 2)), BUCKET_VALUE);
  }
}

/** The bucket that holds the index, or the free one where it would go. */
@inline
function bucketOf(query: usize, index: u32): usize {
  const table = query + SPARSE_TABLE;
  const shift = load<u32>(query, SPARSE_SHIFT);
  const mask: u32 = (1 << (32 - shift)) - 1;
  let at: u32 = (index * load<u32>(query, SPARSE_MULTIPLIER)) >>> shift;
  let bucket = table + (<usize>at << BUCKET_BITS);
  while (load<u32>(bucket, BUCKET_USED) != 0 && load<u32>(bucket) != index) {
    at = (at + 1) & mask;
    bucket = table + (<usize>at << BUCKET_BITS);
  }
  return bucket;
}

/**
 * The dot product of the prepared query and a sparse vector: exact products, added in f64 in the order of the vector.
 */
export function sparseDot(query: usize, indices: usize, values: usize, count: i32): f64 {
  return dotEntry(query, indices, values, count);
}

/** Offers every matching entry that shares an index with the query to the heap, its score rounded to f32. */
export function scanSparseFrame(query: usize, frame: usize, bytesUsed: i32, bitmap: usize, heap: usize): void {
  const end = frame + <usize>bytesUsed;
  while (frame < end) {
    const slot = load<u32>(frame), count = load<u32>(frame, 4);
    const indices = frame + SPARSE_ENTRY_HEADER_BYTES, bytes = <usize>count << 2;
    frame = indices + 2 * bytes;
    if (!isMatch(bitmap, slot)) continue;
    const key = <f32>dotEntry(query, indices, indices + bytes, count);
    if (sharedTerms == 0) continue;
    countOffered(heap, 1);
    if (key >= heapThreshold(heap)) keepIfBetter(heap, key, slot);
  }
}

/** Writes the score of every matching entry, rounded to f32, at its slot in the array at `scores`. */
export function storeSparseScores(query: usize, frame: usize, bytesUsed: i32, bitmap: usize, scores: usize): void {
  const end = frame + <usize>bytesUsed;
  while (frame < end) {
    const slot = load<u32>(frame), count = load<u32>(frame, 4);
    const indices = frame + SPARSE_ENTRY_HEADER_BYTES, bytes = <usize>count << 2;
    frame = indices + 2 * bytes;
    if (!isMatch(bitmap, slot)) continue;
    store<f32>(scores + (<usize>slot << 2), <f32>dotEntry(query, indices, indices + bytes, count));
  }
}

@inline
function isMatch(bitmap: usize, slot: u32): bool {
  return ((load<u32>(bitmap + (<usize>(slot >>> 5) << 2)) >>> (slot & 31)) & 1) != 0;
}

function dotEntry(query: usize, indices: usize, values: usize, count: i32): f64 {
  let sum: f64 = 0;
  sharedTerms = 0;
  for (let from = 0; from < count; from += CHUNK_TERMS) {
    const passed = sieve(query, indices, from, min(count, from + CHUNK_TERMS));
    for (let at = 0; at < passed; at++) {
      const offset = <usize>load<u32>(query + (<usize>at << 2), SPARSE_PASSED) << 2;
      const bucket = bucketOf(query, load<u32>(indices + offset));
      if (load<u32>(bucket, BUCKET_USED) == 0) continue;
      sum += load<f64>(bucket, BUCKET_VALUE) * <f64>load<f32>(values + offset);
      sharedTerms++;
    }
  }
  return sum;
}

/**
 * Writes the positions in from..until - 1 whose index passes the bitmap. Branchless, because the outcomes are
 * unpredictable (measured: 1.4 x).
 * @returns their count
 */
@inline
function sieve(query: usize, indices: usize, from: i32, until: i32): i32 {
  const multiplier = load<u32>(query, SPARSE_MULTIPLIER);
  let passed = 0;
  for (let at = from; at < until; at++) {
    const hash = load<u32>(indices + (<usize>at << 2)) * multiplier;
    const word = load<u32>(query + <usize>((hash >>> 21) << 2), SPARSE_BITMAP);
    store<u32>(query + (<usize>passed << 2), at, SPARSE_PASSED);
    passed += <i32>((word >>> ((hash >>> 16) & 31)) & 1);
  }
  return passed;
}
