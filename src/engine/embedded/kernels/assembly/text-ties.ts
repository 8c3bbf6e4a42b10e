// Hits that tie with the last one: of those, the ones with the first ids stay. A heap of the ids so far has the last on top.
import {
  TEXT_HIT_BYTES,
  TEXT_ID_BLOCK_SHIFT,
  TEXT_NO_ID,
  TEXT_SEARCH_CAPACITY,
  TEXT_SEARCH_HIT_COUNT,
  TEXT_SEARCH_HITS,
  TEXT_SEARCH_ID_BLOCKS,
  TEXT_SEARCH_SLOT_BLOCKS,
  TEXT_SLOT_BLOCK_SHIFT,
  TEXT_SLOT_WORDS_SHIFT,
} from '../text-lists-constants';
import { leastScore } from './text-hits';

let slotBlocks: usize = 0;
let idBlocks: usize = 0;
let memoryEnd: u64 = 0;

/** The number of hits that are better than the last, and the number that tie with it; lower ones are dropped. */
let better: u32 = 0;
let tied: u32 = 0;

/**
 * Drops hits that are not among the best, and of those that tie with the last of them all but the first by their ids. Hits
 * whose ids are not in memory stay, too.
 */
export function keepFirstIds(search: usize): void {
  slotBlocks = <usize>load<u32>(search, TEXT_SEARCH_SLOT_BLOCKS);
  idBlocks = <usize>load<u32>(search, TEXT_SEARCH_ID_BLOCKS);
  const hits = <usize>load<u32>(search, TEXT_SEARCH_HITS);
  memoryEnd = <u64>memory.size() << 16;
  partHits(search, hits);
  const capacity = load<u32>(search, TEXT_SEARCH_CAPACITY), ties = hits + <usize>better * TEXT_HIT_BYTES;
  const wanted = capacity > better ? capacity - better : 0;
  let kept: u32 = 0, unknown: u32 = 0;
  if (tied <= wanted) kept = tied;
  else {
    let without: u32 = 0, last: u64 = 0;
    for (let i: u32 = 0; i < tied; i++) {
      const tie = ties + <usize>i * TEXT_HIT_BYTES, slot = load<u32>(tie), id = idOf(slot);
      if (id == 0) {
        without++;
        continue;
      }
      if (kept < wanted) {
        exchange(ties, kept, i);
        siftUp(ties, kept++);
      } else {
        // Nearly all come later: what decides that depends on no other tie, so that their ids are read side by side.
        const key = keyOf(id);
        if (kept == 0 || key > last || (key == last && !isBefore(slot, load<u32>(ties)))) continue;
        store<u32>(tie, load<u32>(ties));
        store<u32>(ties, slot);
        siftDown(ties, kept);
      }
      if (kept == wanted) last = keyOf(idOf(load<u32>(ties)));
    }
    // Those without ids move up behind the rest.
    for (let i = kept; unknown < without; i++) {
      if (idOf(load<u32>(ties + <usize>i * TEXT_HIT_BYTES)) == 0) exchange(ties, kept + unknown++, i);
    }
  }
  store<u32>(search, better + kept + unknown, TEXT_SEARCH_HIT_COUNT);
}

/** Moves the hits that are better than the last to the front, and behind them those that tie with it. */
function partHits(search: usize, hits: usize): void {
  const count = load<u32>(search, TEXT_SEARCH_HIT_COUNT), least = leastScore(search);
  better = 0;
  tied = 0;
  for (let i: u32 = 0; i < count; i++) {
    const score = load<f32>(hits + <usize>i * TEXT_HIT_BYTES, 4);
    if (score < least) continue;
    exchange(hits, better + tied, i);
    if (score > least) {
      exchange(hits, better, better + tied);
      better++;
    } else tied++;
  }
}

@inline
function exchange(hits: usize, a: u32, b: u32): void {
  const first = hits + <usize>a * TEXT_HIT_BYTES, second = hits + <usize>b * TEXT_HIT_BYTES;
  const hit = load<u64>(first);
  store<u64>(first, load<u64>(second));
  store<u64>(second, hit);
}

/** Address of the id of a slot: a byte of length, then as many characters; 0 when it is not in memory. */
@inline
function idOf(slot: u32): usize {
  const block = <usize>load<u32>(slotBlocks + (<usize>(slot >>> TEXT_SLOT_BLOCK_SHIFT) << 2));
  const inBlock = <usize>(slot & ((1 << TEXT_SLOT_BLOCK_SHIFT) - 1)) << TEXT_SLOT_WORDS_SHIFT;
  const offset = load<u32>(block + inBlock, 4);
  if (offset == TEXT_NO_ID) return 0;
  const ids = <usize>load<u32>(idBlocks + (<usize>(offset >>> TEXT_ID_BLOCK_SHIFT) << 2));
  return ids + <usize>(offset & ((1 << TEXT_ID_BLOCK_SHIFT) - 1));
}

/** The first eight characters of an id, as a number in their order; zeros stand for those that it lacks. */
@inline
function keyOf(id: usize): u64 {
  const length = <u64>load<u8>(id);
  if (length >= 8) return bswap(load<u64>(id, 1));
  if (<u64>id + 9 > memoryEnd) return slowKeyOf(id, length);
  return length == 0 ? 0 : bswap(load<u64>(id, 1)) & (~(<u64>0) << (64 - (length << 3)));
}

/** At the end of memory, no byte after an id can be read. */
function slowKeyOf(id: usize, length: u64): u64 {
  let key: u64 = 0;
  for (let i: u64 = 0; i < length; i++) key |= <u64>load<u8>(id + <usize>i, 1) << (56 - (i << 3));
  return key;
}

/** Orders the ids of two slots by their bytes. */
function isBefore(slot: u32, other: u32): bool {
  let a = idOf(slot), b = idOf(other);
  const lengthA = <u32>load<u8>(a++), lengthB = <u32>load<u8>(b++), length = min(lengthA, lengthB);
  for (let i: u32 = 0; i < length; i++) {
    const x = load<u8>(a + <usize>i), y = load<u8>(b + <usize>i);
    if (x != y) return x < y;
  }
  return lengthA < lengthB;
}

@inline
function slotIn(ties: usize, at: u32): u32 {
  return load<u32>(ties + <usize>at * TEXT_HIT_BYTES);
}

/** All scores of ties are equal, so that slots are all there is to move. */
function siftUp(ties: usize, at: u32): void {
  while (at > 0) {
    const parent = (at - 1) >>> 1;
    if (!isBefore(slotIn(ties, parent), slotIn(ties, at))) return;
    exchange(ties, parent, at);
    at = parent;
  }
}

function siftDown(ties: usize, count: u32): void {
  let at: u32 = 0;
  for (let child: u32 = 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && isBefore(slotIn(ties, child), slotIn(ties, child + 1))) child++;
    if (!isBefore(slotIn(ties, at), slotIn(ties, child))) return;
    exchange(ties, at, child);
    at = child;
  }
}
