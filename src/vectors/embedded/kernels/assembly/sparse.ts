// Exact scan of sparse frames: the query's terms in a hash table, behind a bitmap that turns most indices away.
import { SPARSE_ENTRY_HEADER_BYTES } from '../constants';
import { countOffered, heapThreshold, keepIfBetter } from './heap';

/** A sparse query's block: hash multiplier u32, table shift u32, then the bitmap, then the table. */
const SPARSE_MULTIPLIER = 0;
const SPARSE_SHIFT = 4;
const SPARSE_BITMAP = 16;
/** One bit for each value of a hash's high 16 bits. */
const SPARSE_BITMAP_BYTES = 8192;
const SPARSE_TABLE = SPARSE_BITMAP + SPARSE_BITMAP_BYTES;
/** A place of the table: index u32, used u32, value f64. */
const PLACE_BITS = 4;
const PLACE_USED = 4;
const PLACE_VALUE = 8;

/** Terms the last `dotEntry` found on both sides. */
let sharedTerms: i32 = 0;

/**
 * Fills the block at `query` (16-byte aligned) from `count` distinct indices and their values.
 * `multiplier` is odd and best random, so that nobody can choose indices that collide.
 */
export function prepareSparseQuery(indices: usize, values: usize, count: i32, multiplier: u32, query: usize): void {
  const bits = max(4, 33 - clz(<u32>count));
  const table = query + SPARSE_TABLE;
  store<u32>(query, multiplier, SPARSE_MULTIPLIER);
  store<u32>(query, 32 - bits, SPARSE_SHIFT);
  memory.fill(query + SPARSE_BITMAP, 0, SPARSE_BITMAP_BYTES);
  memory.fill(table, 0, <usize>1 << (bits + PLACE_BITS));
  for (let at = 0; at < count; at++) {
    const index = load<u32>(indices + (<usize>at << 2));
    const hash = index * multiplier;
    const word = query + <usize>((hash >>> 21) << 2);
    store<u32>(word, load<u32>(word, SPARSE_BITMAP) | (1 << ((hash >>> 16) & 31)), SPARSE_BITMAP);
    const place = findPlace(table, index, hash >>> (32 - bits), (1 << bits) - 1);
    store<u32>(place, index);
    store<u32>(place, 1, PLACE_USED);
    store<f64>(place, <f64>load<f32>(values + (<usize>at << 2)), PLACE_VALUE);
  }
}

/** The place that holds the index, or the free one where it would go. */
@inline
function findPlace(table: usize, index: u32, at: u32, mask: u32): usize {
  let place = table + (<usize>at << PLACE_BITS);
  while (load<u32>(place, PLACE_USED) != 0 && load<u32>(place) != index) {
    at = (at + 1) & mask;
    place = table + (<usize>at << PLACE_BITS);
  }
  return place;
}

/** Dot product of the prepared query with a sparse vector: exact products, added in the vector's order in f64. */
export function sparseDot(query: usize, indices: usize, values: usize, count: i32): f64 {
  return dotEntry(query, indices, values, count);
}

/** Offers every wanted entry that shares an index with the query to the heap, its score rounded to f32. */
export function scanSparseFrame(query: usize, frame: usize, bytesUsed: i32, bitmap: usize, heap: usize): void {
  const end = frame + <usize>bytesUsed;
  while (frame < end) {
    const slot = load<u32>(frame), count = load<u32>(frame, 4);
    const indices = frame + SPARSE_ENTRY_HEADER_BYTES, bytes = <usize>count << 2;
    frame = indices + 2 * bytes;
    if (!isWanted(bitmap, slot)) continue;
    const key = <f32>dotEntry(query, indices, indices + bytes, count);
    if (sharedTerms == 0) continue;
    countOffered(heap, 1);
    if (key >= heapThreshold(heap)) keepIfBetter(heap, key, slot);
  }
}

/** Writes the score of every wanted entry, rounded to f32, to its slot's place in the array at `scores`. */
export function storeSparseScores(query: usize, frame: usize, bytesUsed: i32, bitmap: usize, scores: usize): void {
  const end = frame + <usize>bytesUsed;
  while (frame < end) {
    const slot = load<u32>(frame), count = load<u32>(frame, 4);
    const indices = frame + SPARSE_ENTRY_HEADER_BYTES, bytes = <usize>count << 2;
    frame = indices + 2 * bytes;
    if (!isWanted(bitmap, slot)) continue;
    store<f32>(scores + (<usize>slot << 2), <f32>dotEntry(query, indices, indices + bytes, count));
  }
}

@inline
function isWanted(bitmap: usize, slot: u32): bool {
  return ((load<u32>(bitmap + (<usize>(slot >>> 5) << 2)) >>> (slot & 31)) & 1) != 0;
}

function dotEntry(query: usize, indices: usize, values: usize, count: i32): f64 {
  const multiplier = load<u32>(query, SPARSE_MULTIPLIER), shift = load<u32>(query, SPARSE_SHIFT);
  let sum: f64 = 0;
  let shared = 0;
  for (let at = 0; at < count; at++) {
    const index = load<u32>(indices + (<usize>at << 2));
    const hash = index * multiplier;
    const word = load<u32>(query + <usize>((hash >>> 21) << 2), SPARSE_BITMAP);
    if (((word >>> ((hash >>> 16) & 31)) & 1) == 0) continue;
    const table = query + SPARSE_TABLE;
    const place = findPlace(table, index, hash >>> shift, (1 << (32 - shift)) - 1);
    if (load<u32>(place, PLACE_USED) == 0) continue;
    sum += load<f64>(place, PLACE_VALUE) * <f64>load<f32>(values + (<usize>at << 2));
    shared++;
  }
  sharedTerms = shared;
  return sum;
}
