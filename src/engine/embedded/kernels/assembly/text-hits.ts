// The hits of a text search: exact scores of slots, and a heap of the best ones, which gives the score to reach.
import {
  CLAUSE_FACTOR,
  CLAUSE_FIRST,
  CLAUSE_MEMBERS,
  CLAUSE_WEIGHT,
  CURSOR_AT,
  TEXT_CLAUSE_BYTES,
  TEXT_HIT_BYTES,
  TEXT_HITS_MAX,
  TEXT_SEARCH_BITMAP,
  TEXT_SEARCH_CAPACITY,
  TEXT_SEARCH_CLAUSE_COUNT,
  TEXT_SEARCH_CLAUSES,
  TEXT_SEARCH_HEAP,
  TEXT_SEARCH_HEAP_COUNT,
  TEXT_SEARCH_HIT_COUNT,
  TEXT_SEARCH_HITS,
  TEXT_SEARCH_LEAST,
  TEXT_SEARCH_SCORED,
  TEXT_SEARCH_SLOT_COUNT,
} from '../text-lists-constants';
import { find, occurrencesAt } from './text-cursor';
import { memberCursor, phraseCount } from './text-phrases';
import { exactSaturation } from './text-saturation';

/** True when the slot is among those that the search may find. */
@inline
export function isSelected(search: usize, slot: u32): bool {
  if (slot >= load<u32>(search, TEXT_SEARCH_SLOT_COUNT)) return false;
  const bitmap = <usize>load<u32>(search, TEXT_SEARCH_BITMAP);
  if (bitmap == 0) return true;
  return ((load<u32>(bitmap + (<usize>(slot >>> 5) << 2)) >>> (slot & 31)) & 1) != 0;
}

@inline
export function leastScore(search: usize): f32 {
  return load<f32>(search, TEXT_SEARCH_LEAST);
}

/** Scores a slot by the terms of all clauses, in their order, and keeps it if it may be among the best. */
export function scoreSlot(search: usize, cursors: usize, slot: u32): void {
  let clause = <usize>load<u32>(search, TEXT_SEARCH_CLAUSES);
  const end = clause + <usize>load<u32>(search, TEXT_SEARCH_CLAUSE_COUNT) * TEXT_CLAUSE_BYTES;
  let sum: f64 = 0;
  for (; clause < end; clause += TEXT_CLAUSE_BYTES) {
    const occurrences = occurrencesIn(search, cursors, clause, slot);
    if (occurrences == 0) continue;
    const cursor = memberCursor(search, cursors, load<u32>(clause, CLAUSE_FIRST));
    const score = load<f64>(clause, CLAUSE_WEIGHT) * exactSaturation(cursor, occurrences, slot);
    sum += load<f64>(clause, CLAUSE_FACTOR) * score;
  }
  store<u32>(search, load<u32>(search, TEXT_SEARCH_SCORED) + 1, TEXT_SEARCH_SCORED);
  offer(search, slot, <f32>sum);
}

/** How often a slot has the term or phrase of a clause. Its cursors must not be beyond the slot. */
export function occurrencesIn(search: usize, cursors: usize, clause: usize, slot: u32): u32 {
  const first = load<u32>(clause, CLAUSE_FIRST), members = load<u32>(clause, CLAUSE_MEMBERS);
  let occurrences: u32 = 0;
  for (let member = first; member < first + members; member++) {
    const cursor = memberCursor(search, cursors, member);
    if (!find(cursor, slot)) return 0;
    if (members == 1) occurrences = occurrencesAt(cursor, load<u32>(cursor, CURSOR_AT));
  }
  return members == 1 ? occurrences : phraseCount(search, cursors, clause);
}

/** Keeps a slot if it may be among the best, with a finite score. There must be space. */
export function offer(search: usize, slot: u32, sum: f32): void {
  const score = min<f32>(sum, f32.MAX_VALUE);
  if (!(score >= leastScore(search))) return;
  const count = load<u32>(search, TEXT_SEARCH_HIT_COUNT);
  const hit = <usize>load<u32>(search, TEXT_SEARCH_HITS) + <usize>count * TEXT_HIT_BYTES;
  store<u32>(hit, slot);
  store<f32>(hit, score, 4);
  store<u32>(search, count + 1, TEXT_SEARCH_HIT_COUNT);
  const kept = load<u32>(search, TEXT_SEARCH_HEAP_COUNT), capacity = load<u32>(search, TEXT_SEARCH_CAPACITY);
  if (capacity == 0) return;
  const heap = <usize>load<u32>(search, TEXT_SEARCH_HEAP);
  if (kept < capacity) {
    siftUp(heap, kept, score);
    store<u32>(search, kept + 1, TEXT_SEARCH_HEAP_COUNT);
    if (kept + 1 < capacity) return;
  } else {
    siftDown(heap, capacity, score);
  }
  if (load<f32>(heap) > leastScore(search)) store<f32>(search, load<f32>(heap), TEXT_SEARCH_LEAST);
}

/** Drops hits that are not among the best any more. @returns false when fewer than `space` more can be kept */
export function makeSpace(search: usize, space: u32): bool {
  const count = load<u32>(search, TEXT_SEARCH_HIT_COUNT);
  if (count + space <= <u32>TEXT_HITS_MAX) return true;
  const hits = <usize>load<u32>(search, TEXT_SEARCH_HITS), end = hits + <usize>count * TEXT_HIT_BYTES;
  const least = leastScore(search);
  let to = hits;
  for (let hit = hits; hit < end; hit += TEXT_HIT_BYTES) {
    if (load<f32>(hit, 4) < least) continue;
    store<u64>(to, load<u64>(hit));
    to += TEXT_HIT_BYTES;
  }
  const kept = <u32>((to - hits) / TEXT_HIT_BYTES);
  store<u32>(search, kept, TEXT_SEARCH_HIT_COUNT);
  return kept + space <= <u32>TEXT_HITS_MAX;
}

function siftUp(heap: usize, at: u32, score: f32): void {
  while (at > 0) {
    const parent = (at - 1) >>> 1, above = load<f32>(heap + (<usize>parent << 2));
    if (above <= score) break;
    store<f32>(heap + (<usize>at << 2), above);
    at = parent;
  }
  store<f32>(heap + (<usize>at << 2), score);
}

/** Replaces the least score. */
function siftDown(heap: usize, count: u32, score: f32): void {
  if (score <= load<f32>(heap)) return;
  let at: u32 = 0;
  for (let child: u32 = 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && load<f32>(heap + (<usize>(child + 1) << 2)) < load<f32>(heap + (<usize>child << 2))) child++;
    const below = load<f32>(heap + (<usize>child << 2));
    if (below >= score) break;
    store<f32>(heap + (<usize>at << 2), below);
    at = child;
  }
  store<f32>(heap + (<usize>at << 2), score);
}
