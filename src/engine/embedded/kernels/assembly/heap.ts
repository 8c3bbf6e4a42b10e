// The best entries of a scan, in a min-heap whose content does not depend on the order of arrival.
import {
  HEAP_CAPACITY,
  HEAP_COUNT,
  HEAP_ENTRY_BYTES,
  HEAP_HEADER_BYTES,
  HEAP_OFFERED,
  HEAP_THRESHOLD,
} from '../constants';

/**
 * Empties the heap at `heap` (8-byte aligned), and sets its capacity in entries (1 or more) and the least key that it
 * accepts.
 */
export function resetHeap(heap: usize, capacity: i32, least: f32): void {
  store<i32>(heap, capacity, HEAP_CAPACITY);
  store<i32>(heap, 0, HEAP_COUNT);
  store<i32>(heap, 0, HEAP_OFFERED);
  store<f32>(heap, least, HEAP_THRESHOLD);
}

/** Entries with a lower key are rejected. */
@inline
export function heapThreshold(heap: usize): f32 {
  return load<f32>(heap, HEAP_THRESHOLD);
}

/** Counts entries that were offered, kept or not. */
@inline
export function countOffered(heap: usize, count: i32): void {
  store<i32>(heap, load<i32>(heap, HEAP_OFFERED) + count, HEAP_OFFERED);
}

/**
 * Keeps the entry when the heap has free capacity or holds a worse one: a lower key, or the same key and a higher slot.
 */
export function keepIfBetter(heap: usize, key: f32, slot: u32): void {
  const count = load<i32>(heap, HEAP_COUNT), capacity = load<i32>(heap, HEAP_CAPACITY);
  const entries = heap + HEAP_HEADER_BYTES;
  const rank = rankOf(key, slot);
  if (count < capacity) {
    siftUp(entries, count, rank);
    store<i32>(heap, count + 1, HEAP_COUNT);
    if (count + 1 == capacity) store<f32>(heap, keyOf(load<u64>(entries)), HEAP_THRESHOLD);
  } else if (rank > load<u64>(entries)) {
    siftDown(entries, count, rank);
    store<f32>(heap, keyOf(load<u64>(entries)), HEAP_THRESHOLD);
  }
}

/** Ends the scan: sorts the entries best first, and rewrites them as (key f32, slot u32). @returns their count */
export function finishHeap(heap: usize): i32 {
  const count = load<i32>(heap, HEAP_COUNT);
  const entries = heap + HEAP_HEADER_BYTES;
  for (let last = count - 1; last > 0; last--) {
    const worst = load<u64>(entries);
    siftDown(entries, last, load<u64>(entryAddress(entries, last)));
    store<u64>(entryAddress(entries, last), worst);
  }
  for (let at = 0; at < count; at++) {
    const rank = load<u64>(entryAddress(entries, at));
    store<f32>(entryAddress(entries, at), keyOf(rank));
    store<u32>(entryAddress(entries, at), ~(<u32>rank), 4);
  }
  return count;
}

/** An integer that sorts like the entries: the bits of the key in sortable form, then the slot, low slots first. */
@inline
export function rankOf(key: f32, slot: u32): u64 {
  const bits = reinterpret<u32>(key);
  const ordered = bits ^ (<u32>(<i32>bits >> 31) | 0x80000000);
  return (<u64>ordered << 32) | <u64>~slot;
}

@inline
export function keyOf(rank: u64): f32 {
  const ordered = <u32>(rank >> 32);
  return reinterpret<f32>(ordered ^ (<u32>(<i32>~ordered >> 31) | 0x80000000));
}

@inline
function entryAddress(entries: usize, at: i32): usize {
  return entries + <usize>at * HEAP_ENTRY_BYTES;
}

function siftUp(entries: usize, at: i32, rank: u64): void {
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = load<u64>(entryAddress(entries, parent));
    if (above <= rank) break;
    store<u64>(entryAddress(entries, at), above);
    at = parent;
  }
  store<u64>(entryAddress(entries, at), rank);
}

function siftDown(entries: usize, count: i32, rank: u64): void {
  let at = 0;
  for (let child = 1; child < count; child = 2 * at + 1) {
    let below = load<u64>(entryAddress(entries, child));
    if (child + 1 < count) {
      const other = load<u64>(entryAddress(entries, child), HEAP_ENTRY_BYTES);
      child += <i32>(other < below);
      below = min(below, other);
    }
    if (below >= rank) break;
    store<u64>(entryAddress(entries, at), below);
    at = child;
  }
  store<u64>(entryAddress(entries, at), rank);
}
