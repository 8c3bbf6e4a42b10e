// Saturations of occurrences by BM25: bounds in f32, by fours where it pays, and exact ones in f64.
import {
  CURSOR_LENGTHS,
  CURSOR_RECORDS,
  CURSOR_SLOPE,
  CURSOR_TOKENS,
  TEXT_LENGTH_EXACT_MAX,
  TEXT_LENGTH_STEP_SHIFT,
  TEXT_LENGTHS_SHIFT,
} from '../text-lists-constants';

const K1: f64 = 1.2;
const B: f64 = 0.75;
export const SATURATION_MAX: f32 = <f32>(K1 + 1);
const NORM_LEAST: f32 = <f32>(K1 * (1 - B));

/** Sets what a token more adds to the norm of a slot. @param average length of the field */
@inline
export function setNorms(cursor: usize, average: f64): void {
  store<f32>(cursor, <f32>((K1 * B) / average), CURSOR_SLOPE);
}

/** What occurrences are added to in a saturation: it depends on the length of the field in a slot. */
@inline
export function normAt(cursor: usize, slot: u32): f32 {
  return NORM_LEAST + load<f32>(cursor, CURSOR_SLOPE) * <f32>lengthAt(cursor, slot);
}

@inline
export function saturationBy(occurrences: f32, norm: f32): f32 {
  return (occurrences * SATURATION_MAX) / (occurrences + norm);
}

/** The saturation of occurrences in a field of a slot: the same operations as in TypeScript, in the same order. */
export function exactSaturation(cursor: usize, occurrences: u32, slot: u32): f64 {
  const length = <f64>lengthAt(cursor, slot), count = <f64>occurrences;
  const relativeLength = (length * load<f64>(cursor, CURSOR_RECORDS)) / load<f64>(cursor, CURSOR_TOKENS);
  return (count * (K1 + 1)) / (count + K1 * (1 - B + B * relativeLength));
}

/** Tokens of the field of the cursor in a slot. */
@inline
export function lengthAt(cursor: usize, slot: u32): u32 {
  const block = load<u32>(<usize>load<u32>(cursor, CURSOR_LENGTHS) + (<usize>(slot >>> TEXT_LENGTHS_SHIFT) << 2));
  return lengthOf(load<u16>(<usize>block + (<usize>(slot & ((1 << TEXT_LENGTHS_SHIFT) - 1)) << 1)));
}

@inline
function lengthOf(code: u32): u32 {
  if (code < <u32>TEXT_LENGTH_EXACT_MAX) return code;
  return TEXT_LENGTH_EXACT_MAX + ((code - TEXT_LENGTH_EXACT_MAX) << TEXT_LENGTH_STEP_SHIFT);
}

/** Writes the norms f32 of slots u32, in fours: what is written beyond the last one means nothing. */
export function writeNorms(cursor: usize, slots: usize, count: u32, out: usize): void {
  const blocks = <usize>load<u32>(cursor, CURSOR_LENGTHS);
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    const slot = load<u32>(slots + at), block = load<u32>(blocks + (<usize>(slot >>> TEXT_LENGTHS_SHIFT) << 2));
    store<u32>(out + at, load<u16>(<usize>block + (<usize>(slot & ((1 << TEXT_LENGTHS_SHIFT) - 1)) << 1)));
  }
  const slope = f32x4.splat(load<f32>(cursor, CURSOR_SLOPE)), least = f32x4.splat(NORM_LEAST);
  const exactMax = i32x4.splat(TEXT_LENGTH_EXACT_MAX);
  for (const end = out + (<usize>count << 2); out < end; out += 16) {
    const codes = v128.load(out);
    // Codes of long fields stand for steps.
    const steps = i32x4.add(i32x4.shl(i32x4.sub(codes, exactMax), TEXT_LENGTH_STEP_SHIFT), exactMax);
    const lengths = f32x4.convert_i32x4_s(v128.bitselect(codes, steps, i32x4.lt_s(codes, exactMax)));
    v128.store(out, f32x4.add(least, f32x4.mul(slope, lengths)));
  }
}

/** The saturations of four numbers of occurrences i32. */
@inline
export function saturations(occurrences: v128, norms: v128): v128 {
  const counts = f32x4.convert_i32x4_s(occurrences);
  return f32x4.div(f32x4.mul(counts, f32x4.splat(SATURATION_MAX)), f32x4.add(counts, norms));
}
