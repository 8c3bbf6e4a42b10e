// Fingerprints of float rows: they tell within a process whether a row is still the one whose checksum was compared, at
// a tenth of the cost of the checksum.
import { loadUpTo4 } from './lanes';

/** Odd, so that each step is a bijection of its lane: a change of one word is never lost before the lanes are joined. */
const FACTOR: i32 = -1640531535;
const JOINING_FACTOR: u64 = 0x9e3779b97f4a7c15;
const SEED: i32 = 0x2545f491;

/** Writes a fingerprint u32, never 0, of each of `count` consecutive rows of `dim` floats to `prints`. */
export function fingerprintRows(rows: usize, dim: i32, count: i32, prints: usize): void {
  const rowBytes = <usize>dim << 2;
  for (let at = 0; at < count; at++) {
    store<u32>(prints + (<usize>at << 2), fingerprintOf(rows + <usize>at * rowBytes, dim));
  }
}

function fingerprintOf(row: usize, dim: i32): u32 {
  // Four states, so that the multiplications of one do not wait for those of another.
  let a = i32x4.splat(SEED), b = i32x4.splat(SEED + 1), c = i32x4.splat(SEED + 2), d = i32x4.splat(SEED + 3);
  let at = 0;
  for (const whole = dim & -16; at < whole; at += 16, row += 64) {
    a = mixed(a, v128.load(row));
    b = mixed(b, v128.load(row, 16));
    c = mixed(c, v128.load(row, 32));
    d = mixed(d, v128.load(row, 48));
  }
  for (; at < dim; at += 4, row += 16) a = mixed(a, loadUpTo4(row, dim - at));
  let joined: u64 = <u64>dim;
  joined = joinedWith(joinedWith(joined, a), b);
  joined = joinedWith(joinedWith(joined, c), d);
  const print = <u32>(joined >> 32);
  return print == 0 ? 1 : print;
}

/** The shift brings high bits down, which products alone never do: two changed signs would cancel each other. */
@inline
function mixed(state: v128, words: v128): v128 {
  state = i32x4.mul(v128.xor(state, words), i32x4.splat(FACTOR));
  return v128.xor(state, i32x4.shr_u(state, 15));
}

@inline
function joinedWith(joined: u64, lanes: v128): u64 {
  joined = joinedTwo(joined, i64x2.extract_lane(lanes, 0));
  return joinedTwo(joined, i64x2.extract_lane(lanes, 1));
}

@inline
function joinedTwo(joined: u64, word: u64): u64 {
  joined = (joined ^ word) * JOINING_FACTOR;
  return joined ^ (joined >> 29);
}
