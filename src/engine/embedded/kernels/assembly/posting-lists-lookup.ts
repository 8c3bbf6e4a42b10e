// Finds the posting lists of a query's terms in the frames of a chunk by binary search, all terms in lockstep, so that
// their cache misses overlap.
import {
  CODE_LAST,
  DENSE_ALIGN_SLOTS,
  FOUND_LIST_BYTES,
  FRAME_REFERENCE_BYTES,
  LIST_FRAME_HEADER_BYTES,
  LIST_FRAME_LOW,
  LIST_FRAME_STEP,
  LIST_FRAME_TERMS,
  LIST_HEADER_BYTES,
  LONG_LIST_MIN,
  POSTINGS_QUERY_COUNT,
  POSTINGS_QUERY_FOUND,
  POSTINGS_QUERY_TERMS,
  POSTING_BYTES,
  QUERY_TERM_BYTES,
} from '../posting-lists-constants';
import { foundOf } from './posting-lists-query';

/** Fields of a list that was found. */
export const FOUND_AT = 0;
export const FOUND_COUNT = 4;
export const FOUND_LOW = 8;
export const FOUND_STEP = 12;
export const FOUND_VALUE = 16;
/** While searching, the same bytes hold the frame, and the position of the last index that is not above the term's. */
const SEARCH_FRAME = 0;
const SEARCH_AT = 4;

/** Slots of a chunk, padded as dense lists are. */
@inline
export function paddedSlots(slotCount: i32): i32 {
  return (slotCount + (DENSE_ALIGN_SLOTS - 1)) & ~(DENSE_ALIGN_SLOTS - 1);
}

/**
 * Writes the lists that the chunk has for the query's terms to the query's block.
 * @returns the sum of their largest bounds
 */
export function findLists(query: usize, frames: usize, frameCount: i32, slotCount: i32): f64 {
  const count = load<u32>(query, POSTINGS_QUERY_COUNT);
  const terms = query + POSTINGS_QUERY_TERMS, searches = foundOf(query);
  const longest = findListFrames(terms, searches, count, frames, frameCount);
  for (let step = <u32>1 << (31 - clz(longest)); step != 0; step >>= 1) {
    let term = terms;
    const end = searches + <usize>count * FOUND_LIST_BYTES;
    for (let search = searches; search < end; search += FOUND_LIST_BYTES, term += QUERY_TERM_BYTES) {
      const frame = <usize>load<u32>(search, SEARCH_FRAME);
      const at = load<u32>(search, SEARCH_AT);
      const ahead = min(at + step, load<u32>(frame, LIST_FRAME_TERMS) - 1);
      const isAbove = load<u32>(frame + (<usize>ahead << 2), LIST_FRAME_HEADER_BYTES) > load<u32>(term);
      store<u32>(search, isAbove ? at : ahead, SEARCH_AT);
    }
  }
  return collectLists(query, slotCount);
}

/** Writes the frame that may hold each term. @returns the largest number of indices in one of them */
function findListFrames(term: usize, search: usize, count: u32, frames: usize, frameCount: i32): u32 {
  let longest: u32 = 1;
  for (let i: u32 = 0; i < count; i++, search += FOUND_LIST_BYTES, term += QUERY_TERM_BYTES) {
    const index = load<u32>(term);
    let low = 0;
    for (let high = frameCount; high - low > 1; ) {
      const middle = (low + high) >>> 1;
      const isAbove = load<u32>(frames + <usize>middle * FRAME_REFERENCE_BYTES) > index;
      low = isAbove ? low : middle;
      high = isAbove ? middle : high;
    }
    const frame = load<u32>(frames + <usize>low * FRAME_REFERENCE_BYTES, 4);
    store<u32>(search, frame, SEARCH_FRAME);
    store<u32>(search, 0, SEARCH_AT);
    longest = max(longest, load<u32>(frame, LIST_FRAME_TERMS));
  }
  return longest;
}

/** Replaces the searches by the lists they have found; drops those that found none. */
function collectLists(query: usize, slotCount: i32): f64 {
  const count = load<u32>(query, POSTINGS_QUERY_COUNT);
  let term = query + POSTINGS_QUERY_TERMS;
  let search = foundOf(query), list = search;
  let found = 0;
  let total: f64 = 0;
  for (let i: u32 = 0; i < count; i++, term += QUERY_TERM_BYTES, search += FOUND_LIST_BYTES) {
    const frame = <usize>load<u32>(search, SEARCH_FRAME), at = load<u32>(search, SEARCH_AT);
    if (load<u32>(frame + (<usize>at << 2), LIST_FRAME_HEADER_BYTES) != load<u32>(term)) continue;
    const value = load<f64>(term, 8);
    total += abs(value) * describeList(list, frame, at, slotCount);
    store<f64>(list, value, FOUND_VALUE);
    list += FOUND_LIST_BYTES;
    found++;
  }
  store<u32>(query, found, POSTINGS_QUERY_FOUND);
  return total;
}

/** Writes the fields of the `at`-th list of a frame. @returns the largest magnitude of its bounds */
@inline
function describeList(list: usize, frame: usize, at: u32, slotCount: i32): f64 {
  const terms = load<u32>(frame, LIST_FRAME_TERMS);
  const ends = frame + LIST_FRAME_HEADER_BYTES + (<usize>terms << 2);
  const first = at == 0 ? LIST_FRAME_HEADER_BYTES + 6 * terms : <u32>load<u16>(ends + (<usize>(at - 1) << 1));
  let bytes = <u32>load<u16>(ends + (<usize>at << 1)) - first;
  let postings = frame + <usize>first;
  let bounds = frame + LIST_FRAME_LOW;
  let count = bytes / POSTING_BYTES;
  if (bytes >= <u32>(LONG_LIST_MIN * POSTING_BYTES)) {
    bounds = postings;
    postings += LIST_HEADER_BYTES;
    bytes -= LIST_HEADER_BYTES;
    count = bytes == <u32>paddedSlots(slotCount) ? 0 : bytes / POSTING_BYTES;
  }
  const low = load<f32>(bounds), step = load<f32>(bounds, LIST_FRAME_STEP - LIST_FRAME_LOW);
  store<u32>(list, <u32>postings, FOUND_AT);
  store<u32>(list, count, FOUND_COUNT);
  store<f32>(list, low, FOUND_LOW);
  store<f32>(list, step, FOUND_STEP);
  return max(abs(<f64>low - <f64>step), abs(<f64>low + <f64>step * CODE_LAST));
}
