// Tests of cells, 8 bytes each, as columns of metadata have them (filters/cell.ts). Each writes a bit for every one of
// `count`; what follows them is read up to a multiple of 32, and what is left of the last word is 0.
import {
  CELL_MIX_FIRST,
  CELL_MIX_HIGH,
  CELL_MIX_LOW,
  CELL_MIX_SECOND,
  CELL_SET_KEY_HIGH,
  CELL_SET_KEY_LOW,
  CELL_SET_SHIFT,
  CELL_SET_SKETCH,
  CELL_SET_SKETCH_SHIFT,
  CELL_SET_TABLE,
} from '../constants';

/** Sets the bits of numbers from `low` to `high`, which nothing that is no number is. */
export function testWithin(cells: usize, count: i32, low: f64, high: f64, bits: usize): void {
  const lows = f64x2.splat(low), highs = f64x2.splat(high);
  for (let left = count; left > 0; left -= 32, cells += 256, bits += 4) {
    const word = sixteenWithin(cells, lows, highs) | (sixteenWithin(cells + 128, lows, highs) << 16);
    store<u32>(bits, firstBits(word, left));
  }
}

/** Sets the bits of one cell, by its two words. */
export function testCell(cells: usize, count: i32, low: u32, high: u32, bits: usize): void {
  const both = i64x2.splat((<u64>high << 32) | low);
  for (let left = count; left > 0; left -= 32, cells += 256, bits += 4) {
    const word = sixteenEqual(cells, both) | (sixteenEqual(cells + 128, both) << 16);
    store<u32>(bits, firstBits(word, left));
  }
}

/** Sets the bits of the cells of a set (filters/cell-set.ts): its sketch rejects most others, the table the rest. */
export function testMember(cells: usize, count: i32, set: usize, bits: usize): void {
  const keyLow = load<u32>(set, CELL_SET_KEY_LOW), keyHigh = load<u32>(set, CELL_SET_KEY_HIGH);
  const keyLows = i32x4.splat(keyLow), keyHighs = i32x4.splat(keyHigh);
  const sketch = set + CELL_SET_SKETCH, sketchShift = load<i32>(set, CELL_SET_SKETCH_SHIFT);
  const table = set + load<u32>(set, CELL_SET_TABLE), shift = load<i32>(set, CELL_SET_SHIFT);
  for (let left = count; left > 0; left -= 32, cells += 256, bits += 4) {
    let word: u32 = 0;
    for (let at = 0; at < 32; at += 4) {
      const hashes = v128.shr<u32>(fourMixed(cells + (<usize>at << 3), keyLows, keyHighs), sketchShift);
      word |= fourSketched(sketch, hashes) << at;
    }
    word = firstBits(word, left);
    for (let rest = word; rest !== 0; rest &= rest - 1) {
      const at = ctz(rest), cell = load<u64>(cells + (<usize>at << 3));
      if (!isInTable(table, shift, cell, mixed(<u32>cell ^ keyLow, <u32>(cell >>> 32) ^ keyHigh))) word &= ~(1 << at);
    }
    store<u32>(bits, word);
  }
}

/** The first `count` bits of a word; all for 32 or more. */
@inline
function firstBits(word: u32, count: i32): u32 {
  return count < 32 ? word & (((<u32>1) << count) - 1) : word;
}

@inline
function sixteenWithin(cells: usize, lows: v128, highs: v128): u32 {
  return sixteenBits(
    fourWithin(cells, lows, highs),
    fourWithin(cells + 32, lows, highs),
    fourWithin(cells + 64, lows, highs),
    fourWithin(cells + 96, lows, highs),
  );
}

@inline
function fourWithin(cells: usize, lows: v128, highs: v128): v128 {
  return v128.shuffle<i32>(twoWithin(cells, lows, highs), twoWithin(cells + 16, lows, highs), 0, 2, 4, 6);
}

@inline
function twoWithin(cells: usize, lows: v128, highs: v128): v128 {
  const two = v128.load(cells);
  return v128.and(f64x2.ge(two, lows), f64x2.le(two, highs));
}

@inline
function sixteenEqual(cells: usize, both: v128): u32 {
  return sixteenBits(
    fourEqual(cells, both),
    fourEqual(cells + 32, both),
    fourEqual(cells + 64, both),
    fourEqual(cells + 96, both),
  );
}

@inline
function fourEqual(cells: usize, both: v128): v128 {
  const first = i64x2.eq(v128.load(cells), both), second = i64x2.eq(v128.load(cells, 16), both);
  return v128.shuffle<i32>(first, second, 0, 2, 4, 6);
}

/** A bit for each lane, of which all bits are set or none. */
@inline
function sixteenBits(a: v128, b: v128, c: v128, d: v128): u32 {
  return <u32>i8x16.bitmask(i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d)));
}

/** The hash of a cell's words, after each was xored with its key. */
@inline
function mixed(low: u32, high: u32): u32 {
  const both = (low * CELL_MIX_LOW) ^ (high * CELL_MIX_HIGH);
  return (both ^ (both >>> 15)) * CELL_MIX_FIRST;
}

/** As `mixed`, of four cells. */
@inline
function fourMixed(cells: usize, keyLows: v128, keyHighs: v128): v128 {
  const first = v128.load(cells), second = v128.load(cells, 16);
  const lows = v128.xor(v128.shuffle<i32>(first, second, 0, 2, 4, 6), keyLows);
  const highs = v128.xor(v128.shuffle<i32>(first, second, 1, 3, 5, 7), keyHighs);
  const both = v128.xor(
    i32x4.mul(lows, i32x4.splat(CELL_MIX_LOW)),
    i32x4.mul(highs, i32x4.splat(CELL_MIX_HIGH)),
  );
  return i32x4.mul(v128.xor(both, v128.shr<u32>(both, 15)), i32x4.splat(CELL_MIX_FIRST));
}

@inline
function fourSketched(sketch: usize, hashes: v128): u32 {
  return (
    isSketched(sketch, i32x4.extract_lane(hashes, 0)) |
    (isSketched(sketch, i32x4.extract_lane(hashes, 1)) << 1) |
    (isSketched(sketch, i32x4.extract_lane(hashes, 2)) << 2) |
    (isSketched(sketch, i32x4.extract_lane(hashes, 3)) << 3)
  );
}

@inline
function isSketched(sketch: usize, hash: u32): u32 {
  return (load<u32>(sketch + ((hash >>> 5) << 2)) >>> (hash & 31)) & 1;
}

@inline
function isInTable(table: usize, shift: i32, cell: u64, hash: u32): bool {
  const second = (hash * CELL_MIX_SECOND) >>> shift;
  return load<u64>(table + ((hash >>> shift) << 3)) === cell || load<u64>(table + (second << 3)) === cell;
}
