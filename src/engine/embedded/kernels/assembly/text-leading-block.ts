// What a conjunction knows of the postings of the leading cursor's block, as text-lists-constants.ts has it.
import { TEXT_BLOCK_NORMS, TEXT_BLOCK_ROWS, TEXT_BLOCK_SUMS } from '../text-lists-constants';

/** The number of the posting that is the `i`-th of those that may still be among the best. */
@inline
export function rowAt(block: usize, i: u32): u32 {
  return load<u32>(block + (<usize>i << 2), TEXT_BLOCK_ROWS);
}

/** Bounds the score of a posting by the terms so far. */
@inline
export function sumAt(block: usize, row: u32): f32 {
  return load<f32>(block + (<usize>row << 2), TEXT_BLOCK_SUMS);
}

@inline
export function normOf(block: usize, row: u32): f32 {
  return load<f32>(block + (<usize>row << 2), TEXT_BLOCK_NORMS);
}
