// The beam of a search: the nearest nodes found, nearest first. Its width counts matching nodes only.
import { BEAM_ENTRY_BYTES } from '../constants';
import { areCopies } from './graph-copies';
import { TIES_COMPARED } from './search-tuning';

/** Flags of an entry, below its distance (32 bits, in sortable form) and its slot. */
export const EXPANDED: u64 = 1;
export const MATCHING: u64 = 2;
export const SLOT_SHIFT: u64 = 2;

export let beam: usize = 0;
export let beamCount: i32 = 0;
export let matchCount: i32 = 0;
let capacity: i32 = 0;
let ef: i32 = 0;
/** Up to how many matching entries the beam grows by those within the slack; `ef` without slack. */
let slackEf: i32 = 0;
/** Matching entries at one distance from which on copies of them are left out. */
let tiesMax: i32 = 0;
/** Early termination: how many matching entries at the front must be stable; 0 for none. */
let stableCount: i32 = 0;
/** The last of the first `stableCount` matching entries: an insertion before it changes the front. */
let stableEntry: u64 = 0;
let hasChanged: bool = false;
/**
 * Early termination by distance: nodes farther from the query than the `slackRank`-th match by more than this factor, as
 * squared distances from `slackOrigin`, need not be expanded; 0 for no such condition.
 */
let slackFactor: f32 = 0;
let slackOrigin: f32 = 0;
let slackRank: i32 = 0;
/** The `slackRank`-th match when the limit was last found; an insertion before it lowers the limit. */
let slackEntry: u64 = 0;
/** Above every entry that is worth an expansion by its distance; 0 without slack. */
let slackLimit: u64 = 0;
let isSlackLimitKnown: bool = true;

/** Sets where the beams that follow lie: `entriesMax` entries, and one more that insertion uses. */
export function openBeam(address: usize, entriesMax: i32): void {
  beam = address;
  capacity = entriesMax;
}

/** Changes the capacity in entries. @returns the previous one */
export function resizeBeam(entriesMax: i32): i32 {
  const previous = capacity;
  capacity = entriesMax;
  return previous;
}

/** Empties the beam, for the `width` nearest matching nodes, without copies beyond `ties` nodes at one distance. */
export function resetBeam(width: i32, ties: i32, stable: i32): void {
  ef = min(width, capacity);
  slackEf = ef;
  slackFactor = 0;
  slackEntry = 0;
  slackLimit = 0;
  isSlackLimitKnown = true;
  tiesMax = ties;
  stableCount = stable;
  beamCount = 0;
  matchCount = 0;
  stableEntry = u64.MAX_VALUE;
  hasChanged = false;
}

/** Changes how many matching entries at the front must be stable. */
export function resizeStable(stable: i32): void {
  stableCount = stable;
  findStableEntry();
}

@inline
export function entryAddress(at: i32): usize {
  return beam + (<usize>at << 3);
}

@inline
export function slotOf(entry: u64): u32 {
  return <u32>entry >>> <u32>SLOT_SHIFT;
}

@inline
export function beamSlot(at: i32): u32 {
  return slotOf(load<u64>(entryAddress(at)));
}

@inline
export function beamDistance(at: i32): f32 {
  return distanceOf(load<u64>(entryAddress(at)));
}

/** The inverse of `orderedBits`. */
@inline
export function distanceOf(entry: u64): f32 {
  const ordered = <u32>(entry >> 32);
  return reinterpret<f32>(ordered ^ (<u32>(<i32>~ordered >> 31) | 0x80000000));
}

/** A distance as high bits that sort like it. */
@inline
export function orderedBits(distance: f32): u64 {
  const bits = reinterpret<u32>(distance);
  return <u64>(bits ^ (<u32>(<i32>bits >> 31) | 0x80000000)) << 32;
}

/** True when the front is complete and has not changed since the last call. */
export function isStable(): bool {
  const stable = !hasChanged && matchCount >= stableCount;
  if (hasChanged) findStableEntry();
  return stable;
}

/**
 * Lets the beam that was just reset grow by entries within a slack, up to `width` matching ones: sets the rank, the factor
 * for squared distances (0 for no slack), and the measured distance of what is nothing apart from the query.
 */
export function setSlack(rank: i32, factor: f32, origin: f32, width: i32): void {
  if (factor == 0) return;
  slackRank = rank;
  slackFactor = factor;
  slackOrigin = origin;
  slackEf = max(ef, min(width, capacity));
  isSlackLimitKnown = false;
}

/** True when the entry at a position, and so all after it, lie beyond the slack. */
@inline
export function isBeyondSlack(at: i32): bool {
  if (!isSlackLimitKnown) findSlackLimit();
  return load<u64>(entryAddress(at)) >= slackLimit;
}

/** Lowers the limit of the slack if nearer matches have been inserted since, and drops what lies beyond it. */
@inline
export function updateSlackLimit(): void {
  if (!isSlackLimitKnown) findSlackLimit();
  dropOverfull();
}

function findSlackLimit(): void {
  slackEntry = u64.MAX_VALUE;
  slackLimit = orderedBits(Infinity);
  isSlackLimitKnown = true;
  if (matchCount < slackRank) return;
  let at = 0;
  for (let left = slackRank; left > 0; at++) left -= isMatchAt(at);
  slackEntry = load<u64>(entryAddress(at - 1));
  slackLimit = orderedBits(slackOrigin + (distanceOf(slackEntry) - slackOrigin) * slackFactor) | <u64>u32.MAX_VALUE;
}

/** Finds the last of the first `stableCount` matching entries again. */
function findStableEntry(): void {
  hasChanged = false;
  stableEntry = u64.MAX_VALUE;
  if (matchCount < stableCount) return;
  let remaining = stableCount;
  for (let at = 0; at < beamCount; at++) {
    stableEntry = load<u64>(entryAddress(at));
    remaining -= <i32>((stableEntry & MATCHING) >> 1);
    if (remaining == 0) return;
  }
}

@inline
function isFull(): bool {
  return matchCount >= ef || beamCount >= capacity;
}

/** The least entry that a full beam rejects: the last one's, or the limit of the slack while the beam may grow by it. */
@inline
function leastRejected(): u64 {
  const last = load<u64>(entryAddress(beamCount - 1));
  return matchCount < slackEf && beamCount < capacity ? max(last, slackLimit) : last;
}

@inline
export function isTooFar(entry: u64): bool {
  return isFull() && entry >= leastRejected();
}

/** True when none of the four distances at `distances` is near enough, as is nearly always so once the beam is full. */
@inline
export function areFourTooFar(distances: usize): bool {
  if (!isFull()) return false;
  const worst = f32x4.splat(distanceOf(leastRejected()));
  return !v128.any_true(f32x4.le(v128.load(distances), worst));
}

/** Inserts an entry that is near enough, and drops what no longer fits. @returns its position */
@inline
export function insertEntry(entry: u64): i32 {
  const low = firstAtLeast(entry, 0), at = entryAddress(low);
  if (isOneCopyTooMany(low, entry)) return i32.MAX_VALUE;
  memory.copy(at + 8, at, <usize>(beamCount - low) << 3);
  store<u64>(at, entry);
  beamCount++;
  if ((entry & MATCHING) != 0) {
    matchCount++;
    if (entry < stableEntry) hasChanged = true;
    if (entry < slackEntry) isSlackLimitKnown = false;
  }
  dropOverfull();
  return low;
}

@inline
function dropOverfull(): void {
  while (isOverfull()) {
    beamCount--;
    matchCount -= isMatchAt(beamCount);
  }
}

/** True when the last entry is one too many. */
@inline
function isOverfull(): bool {
  if (matchCount <= ef && beamCount <= capacity) return false;
  return matchCount > slackEf || beamCount > capacity || load<u64>(entryAddress(beamCount - 1)) >= slackLimit;
}

/**
 * True for a copy of one of enough matching entries at this distance, among which position `at` lies: copies of a row
 * would crowd out all others.
 */
@inline
function isOneCopyTooMany(at: i32, entry: u64): bool {
  if ((entry & MATCHING) == 0) return false;
  const isTie = (at > 0 && isSameDistance(at - 1, entry)) || (at < beamCount && isSameDistance(at, entry));
  return isTie && countTies(entry) >= tiesMax && isCopy(at, entry);
}

/** True for a copy of one of the entries beside position `at` at the same distance: of most, if there are many copies. */
function isCopy(at: i32, entry: u64): bool {
  const slot = slotOf(entry);
  for (let below = at - 1; below >= max(0, at - TIES_COMPARED) && isSameDistance(below, entry); below--) {
    if (areCopies(beamSlot(below), slot)) return true;
  }
  for (let above = at; above < min(beamCount, at + TIES_COMPARED) && isSameDistance(above, entry); above++) {
    if (areCopies(beamSlot(above), slot)) return true;
  }
  return false;
}

/** The number of matching entries at the distance of `entry`. */
function countTies(entry: u64): i32 {
  const nearest = entry & ~(<u64>u32.MAX_VALUE);
  const first = firstAtLeast(nearest, 0), end = firstAtLeast(nearest + ((<u64>1) << 32), first);
  if (matchCount == beamCount) return end - first;
  let ties = 0;
  for (let at = first; at < end; at++) ties += isMatchAt(at);
  return ties;
}

/** The first position from `low` on with an entry that is not less; the count of entries when there is none. */
@inline
function firstAtLeast(entry: u64, low: i32): i32 {
  let high = beamCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u64>(entryAddress(middle)) < entry) low = middle + 1;
    else high = middle;
  }
  return low;
}

@inline
function isSameDistance(at: i32, entry: u64): bool {
  return load<u64>(entryAddress(at)) >>> 32 == entry >>> 32;
}

@inline
export function isMatchAt(at: i32): i32 {
  return <i32>((load<u64>(entryAddress(at)) & MATCHING) >> 1);
}

/** The number of matches among the first `count` entries. */
export function matchesAmong(count: i32): i32 {
  let matches = 0;
  for (let at = 0; at < min(count, beamCount); at++) matches += <i32>((load<u64>(entryAddress(at)) & MATCHING) >> 1);
  return matches;
}

/** Keeps only the first `count` entries. */
export function truncateBeam(count: i32): void {
  while (beamCount > count) {
    beamCount--;
    matchCount -= isMatchAt(beamCount);
  }
}

/** Keeps only the matching entries, and marks them as unexpanded. */
export function keepMatches(): void {
  let matchesKept = 0;
  for (let at = 0; at < beamCount; at++) {
    const entry = load<u64>(entryAddress(at));
    store<u64>(entryAddress(matchesKept), entry & ~EXPANDED);
    matchesKept += <i32>((entry & MATCHING) >> 1);
  }
  beamCount = matchesKept;
}
