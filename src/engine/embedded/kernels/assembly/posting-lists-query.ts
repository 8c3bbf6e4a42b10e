// A sparse query: its terms, and a hash table behind a filter (the "sieve") that rejects most indices of a record.
import {
  ENTRY_COUNT_MASK,
  ENTRY_HEADER_BYTES,
  ENTRY_NARROW,
  FOUND_LIST_BYTES,
  GROUPED_LIST_BYTES,
  POSTINGS_QUERY_COUNT,
  POSTINGS_QUERY_FOUND,
  POSTINGS_QUERY_MULTIPLIER,
  POSTINGS_QUERY_NARROW_SIEVE,
  POSTINGS_QUERY_PASSED,
  POSTINGS_QUERY_SHIFT,
  POSTINGS_QUERY_TERMS,
  POSTINGS_QUERY_WIDE_SIEVE,
  QUERY_BUCKET_BYTES,
  QUERY_TERM_BYTES,
  RUN_TERMS,
  SIEVE_BYTES,
} from '../posting-lists-constants';

/** Terms that the last `dotOfEntry` found on both sides. */
export let sharedTerms: i32 = 0;

/**
 * Fills the block at `query` (16-byte aligned) from `count` distinct indices and their values. `multiplier` is odd, and
 * should be random so that no caller can choose indices that collide.
 */
export function preparePostingListQuery(indices: usize, values: usize, count: i32, multiplier: u32, query: usize): void {
  const bits = max(4, 33 - clz(<u32>count));
  store<u32>(query, count, POSTINGS_QUERY_COUNT);
  store<u32>(query, multiplier, POSTINGS_QUERY_MULTIPLIER);
  store<u32>(query, 32 - bits, POSTINGS_QUERY_SHIFT);
  store<u32>(query, 0, POSTINGS_QUERY_FOUND);
  memory.fill(query + POSTINGS_QUERY_NARROW_SIEVE, 0, 2 * SIEVE_BYTES);
  memory.fill(tableOf(query), 0, <usize>QUERY_BUCKET_BYTES << bits);
  let term = query + POSTINGS_QUERY_TERMS;
  for (let at = 0; at < count; at++, term += QUERY_TERM_BYTES) {
    const index = load<u32>(indices + (<usize>at << 2));
    const value = <f64>load<f32>(values + (<usize>at << 2));
    if (index < <u32>SIEVE_BYTES) store<u8>(query + <usize>index, 1, POSTINGS_QUERY_NARROW_SIEVE);
    store<u8>(query + <usize>((index * multiplier) >>> 16), 1, POSTINGS_QUERY_WIDE_SIEVE);
    const bucket = bucketOf(query, index);
    store<u32>(bucket, index);
    store<u32>(bucket, 1, 4);
    store<f64>(bucket, value, 8);
    store<u32>(term, index);
    store<f64>(term, value, 8);
  }
}

/** Where the posting lists that were found are described. */
@inline
export function foundOf(query: usize): usize {
  return query + POSTINGS_QUERY_TERMS + <usize>load<u32>(query, POSTINGS_QUERY_COUNT) * QUERY_TERM_BYTES;
}

/** Where the dense lists that are added together are described. */
@inline
export function groupOf(query: usize): usize {
  return foundOf(query) + <usize>load<u32>(query, POSTINGS_QUERY_COUNT) * FOUND_LIST_BYTES;
}

@inline
function tableOf(query: usize): usize {
  return groupOf(query) + <usize>(load<u32>(query, POSTINGS_QUERY_COUNT) + 2) * GROUPED_LIST_BYTES;
}

/** The bucket that holds the index, or the free one where it would go. */
@inline
function bucketOf(query: usize, index: u32): usize {
  const table = tableOf(query);
  const shift = load<u32>(query, POSTINGS_QUERY_SHIFT);
  const mask: u32 = (1 << (32 - shift)) - 1;
  let at: u32 = (index * load<u32>(query, POSTINGS_QUERY_MULTIPLIER)) >>> shift;
  let bucket = table + <usize>at * QUERY_BUCKET_BYTES;
  while (load<u32>(bucket, 4) != 0 && load<u32>(bucket) != index) {
    at = (at + 1) & mask;
    bucket = table + <usize>at * QUERY_BUCKET_BYTES;
  }
  return bucket;
}

/** Bytes of the entry at `entry`. */
export function bytesOfEntry(entry: usize): usize {
  const head = load<u32>(entry, 4);
  const count = <usize>(head & ENTRY_COUNT_MASK);
  return <usize>ENTRY_HEADER_BYTES + indexBytesOf(head, count) + (count << 2);
}

/**
 * The dot product of the query and an entry, with products and sum in f64, in the order of the entry. Sets
 * `sharedTerms`.
 */
export function dotOfEntry(query: usize, entry: usize): f64 {
  const head = load<u32>(entry, 4);
  const count = <i32>(head & ENTRY_COUNT_MASK);
  const indices = entry + ENTRY_HEADER_BYTES;
  const values = indices + indexBytesOf(head, count);
  return (head & ENTRY_NARROW) != 0
    ? dotOf(query, indices, values, count, true)
    : dotOf(query, indices, values, count, false);
}

/** The exact score of an entry; NaN when it shares no index with the query. */
export function scoreEntry(query: usize, entry: usize): f64 {
  const score = dotOfEntry(query, entry);
  return sharedTerms == 0 ? NaN : score;
}

@inline
function indexBytesOf(head: u32, count: usize): usize {
  return (head & ENTRY_NARROW) != 0 ? ((count << 1) + 3) & ~3 : count << 2;
}

@inline
function indexAt(indices: usize, at: i32, isNarrow: bool): u32 {
  return isNarrow ? <u32>load<u16>(indices + (<usize>at << 1)) : load<u32>(indices + (<usize>at << 2));
}

@inline
function dotOf(query: usize, indices: usize, values: usize, count: i32, isNarrow: bool): f64 {
  let sum: f64 = 0;
  sharedTerms = 0;
  for (let from = 0; from < count; from += RUN_TERMS) {
    const passed = sieve(query, indices, from, min(count, from + RUN_TERMS), isNarrow);
    for (let i = 0; i < passed; i++) {
      const at = load<u32>(query + (<usize>i << 2), POSTINGS_QUERY_PASSED);
      const bucket = bucketOf(query, indexAt(indices, at, isNarrow));
      if (load<u32>(bucket, 4) == 0) continue;
      sum += load<f64>(bucket, 8) * <f64>load<f32>(values + (<usize>at << 2));
      sharedTerms++;
    }
  }
  return sum;
}

/**
 * Writes the positions in from..until - 1 whose index passes the sieve. Branchless, because the outcomes are
 * unpredictable.
 * @returns their count
 */
@inline
function sieve(query: usize, indices: usize, from: i32, until: i32, isNarrow: bool): i32 {
  const multiplier = load<u32>(query, POSTINGS_QUERY_MULTIPLIER);
  let passed = query;
  let at = from;
  for (; at + 4 <= until; at += 4) {
    passed = addPosition(passed, at, query, indexAt(indices, at, isNarrow), multiplier, isNarrow);
    passed = addPosition(passed, at + 1, query, indexAt(indices, at + 1, isNarrow), multiplier, isNarrow);
    passed = addPosition(passed, at + 2, query, indexAt(indices, at + 2, isNarrow), multiplier, isNarrow);
    passed = addPosition(passed, at + 3, query, indexAt(indices, at + 3, isNarrow), multiplier, isNarrow);
  }
  for (; at < until; at++) passed = addPosition(passed, at, query, indexAt(indices, at, isNarrow), multiplier, isNarrow);
  return <i32>((passed - query) >>> 2);
}

/** Writes a position. @returns where to write the next: to the same address, unless the index passes */
@inline
function addPosition(passed: usize, at: i32, query: usize, index: u32, multiplier: u32, isNarrow: bool): usize {
  store<u32>(passed, at, POSTINGS_QUERY_PASSED);
  const passes = isNarrow
    ? load<u8>(query + <usize>index, POSTINGS_QUERY_NARROW_SIEVE)
    : load<u8>(query + <usize>((index * multiplier) >>> 16), POSTINGS_QUERY_WIDE_SIEVE);
  return passed + (<usize>passes << 2);
}
