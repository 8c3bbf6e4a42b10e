// The beam of a walk: the nearest nodes found, in order, of which those that are wanted count.
import { BEAM_ENTRY_BYTES } from '../constants';

/** Bits of an entry, below its distance (32 bits, ordered) and its slot. */
export const EXPANDED: u64 = 1;
export const WANTED: u64 = 2;
export const SLOT_SHIFT: u64 = 2;

export let beam: usize = 0;
export let beamCount: i32 = 0;
export let wantedCount: i32 = 0;
let capacity: i32 = 0;
let width: i32 = 0;
let tiesMax: i32 = 0;
/** How many wanted entries at the front must rest for a walk to end; 0 when it ends with its beam. */
let settled: i32 = 0;
/** The last of the first `settled` wanted entries: what comes before it changes them. */
let settledEntry: u64 = 0;
let isChanged: bool = false;

/** Sets where the beams that follow lie: room for `places` entries and one more. */
export function openBeam(address: usize, places: i32): void {
  beam = address;
  capacity = places;
}

/** Changes how many places are used from now on. @returns how many it were */
export function boundBeam(places: i32): i32 {
  const before = capacity;
  capacity = places;
  return before;
}

/** Empties the beam; it will keep the `keep` nearest wanted nodes, at most `ties` of them at one distance. */
export function resetBeam(keep: i32, ties: i32, front: i32): void {
  width = min(keep, capacity);
  tiesMax = ties;
  settled = front;
  beamCount = 0;
  wantedCount = 0;
  settledEntry = u64.MAX_VALUE;
  isChanged = false;
}

/** Changes how many wanted entries at the front must rest. */
export function resizeFront(front: i32): void {
  settled = front;
  noteSettled();
}

@inline
export function placeOf(at: i32): usize {
  return beam + (<usize>at << 3);
}

@inline
export function slotOf(entry: u64): u32 {
  return <u32>entry >>> <u32>SLOT_SHIFT;
}

@inline
export function beamSlot(at: i32): u32 {
  return slotOf(load<u64>(placeOf(at)));
}

@inline
export function beamDistance(at: i32): f32 {
  return distanceOf(load<u64>(placeOf(at)));
}

/** Undoes `orderedBits`. */
@inline
export function distanceOf(entry: u64): f32 {
  const ordered = <u32>(entry >> 32);
  return reinterpret<f32>(ordered ^ (<u32>(<i32>~ordered >> 31) | 0x80000000));
}

/** A distance as high bits that order as it does. */
@inline
export function orderedBits(distance: f32): u64 {
  const bits = reinterpret<u32>(distance);
  return <u64>(bits ^ (<u32>(<i32>bits >> 31) | 0x80000000)) << 32;
}

/** True when the front, complete, is as it was at the last call. */
export function hasRested(): bool {
  const rested = !isChanged && wantedCount >= settled;
  if (isChanged) noteSettled();
  return rested;
}

/** Finds the last of the first `settled` wanted entries anew. */
function noteSettled(): void {
  isChanged = false;
  settledEntry = u64.MAX_VALUE;
  if (wantedCount < settled) return;
  let left = settled;
  for (let at = 0; at < beamCount; at++) {
    settledEntry = load<u64>(placeOf(at));
    left -= <i32>((settledEntry & WANTED) >> 1);
    if (left == 0) return;
  }
}

@inline
function isFull(): bool {
  return wantedCount >= width || beamCount >= capacity;
}

@inline
export function isTooFar(entry: u64): bool {
  return isFull() && entry >= load<u64>(placeOf(beamCount - 1));
}

/** True when none of the four distances at `distances` is near enough: so it is with nearly all, once the beam is full. */
@inline
export function areFourTooFar(distances: usize): bool {
  if (!isFull()) return false;
  const worst = f32x4.splat(distanceOf(load<u64>(placeOf(beamCount - 1))));
  return !v128.any_true(f32x4.le(v128.load(distances), worst));
}

/** Puts an entry, not too far, at its place and drops what is then too far. @returns its place */
@inline
export function place(entry: u64): i32 {
  let low = 0, high = beamCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u64>(placeOf(middle)) < entry) low = middle + 1;
    else high = middle;
  }
  const at = placeOf(low);
  if (isCrowded(low, entry)) return i32.MAX_VALUE;
  memory.copy(at + 8, at, <usize>(beamCount - low) << 3);
  store<u64>(at, entry);
  beamCount++;
  if ((entry & WANTED) != 0 && entry < settledEntry) isChanged = true;
  wantedCount += <i32>((entry & WANTED) >> 1);
  while (wantedCount > width || beamCount > capacity) {
    beamCount--;
    wantedCount -= <i32>((load<u64>(placeOf(beamCount)) & WANTED) >> 1);
  }
  return low;
}

/** True when the beam holds enough wanted entries of this distance: equal rows would crowd out all others. */
@inline
function isCrowded(at: i32, entry: u64): bool {
  if ((entry & WANTED) == 0) return false;
  let ties = 0;
  for (let below = at - 1; below >= 0 && isSameDistance(below, entry); below--) ties += isWantedAt(below);
  for (let above = at; above < beamCount && isSameDistance(above, entry); above++) ties += isWantedAt(above);
  return ties >= tiesMax;
}

@inline
function isSameDistance(at: i32, entry: u64): bool {
  return load<u64>(placeOf(at)) >>> 32 == entry >>> 32;
}

@inline
export function isWantedAt(at: i32): i32 {
  return <i32>((load<u64>(placeOf(at)) & WANTED) >> 1);
}

/** Wanted ones among the first `count` entries. */
export function wantedAmong(count: i32): i32 {
  let wanted = 0;
  for (let at = 0; at < min(count, beamCount); at++) wanted += <i32>((load<u64>(placeOf(at)) & WANTED) >> 1);
  return wanted;
}

/** Drops all but the first `count` entries. */
export function cutBeam(count: i32): void {
  while (beamCount > count) {
    beamCount--;
    wantedCount -= isWantedAt(beamCount);
  }
}

/** Drops the unwanted entries; the others are to be expanded again. */
export function keepWanted(): void {
  let kept = 0;
  for (let at = 0; at < beamCount; at++) {
    const entry = load<u64>(placeOf(at));
    store<u64>(placeOf(kept), entry & ~EXPANDED);
    kept += <i32>((entry & WANTED) >> 1);
  }
  beamCount = kept;
}
