// What required terms have in the slots of the leading cursor's block: found once, read when slots are scored and phrases
// are checked.
import {
  CURSOR_BLOCK,
  CURSOR_BLOCKS,
  CURSOR_COUNT,
  CURSOR_COUNTS,
  CURSOR_DATA,
  CURSOR_FOUND_AT,
  CURSOR_FOUND_COUNTS,
  CURSOR_FOUND_DATA,
  CURSOR_POSITIONS,
  CURSOR_WALKED_AT,
  CURSOR_WALKED_BLOCK,
  CURSOR_WALKED_COUNT,
  CURSOR_WALKED_POSITIONS,
  CURSOR_WALKED_SUM,
  TEXT_BLOCK_COUNT_BITS,
  TEXT_BLOCK_POSTINGS,
  TEXT_FOUND_IN_TAIL,
  TEXT_PACKED_BYTES_A_BIT,
} from '../text-lists-constants';
import { countAt, countsOf, skipPositions, sumInFour, sumOfFours, unpackCounts } from './text-blocks';

/** Notes all postings of the decoded block of the leading cursor. */
export function noteAll(lead: usize): void {
  const count = load<u32>(lead, CURSOR_COUNT);
  if (load<u32>(lead, CURSOR_BLOCK) == load<u32>(lead, CURSOR_BLOCKS)) {
    memory.copy(lead + CURSOR_FOUND_COUNTS, lead + CURSOR_COUNTS, <usize>count << 2);
    memory.copy(lead + CURSOR_FOUND_DATA, lead + CURSOR_POSITIONS, <usize>count << 2);
    memory.fill(lead + CURSOR_FOUND_AT, <u8>TEXT_FOUND_IN_TAIL, count);
    return;
  }
  const data = load<u32>(lead, CURSOR_DATA);
  unpackCounts(countsOf(data), load<u8>(data, TEXT_BLOCK_COUNT_BITS), lead + CURSOR_FOUND_COUNTS);
  const four = i32x4.splat(data), sixteen = i8x16.splat(16);
  for (let at: usize = 0; at < <usize>TEXT_BLOCK_POSTINGS << 2; at += 16) v128.store(lead + at, four, CURSOR_FOUND_DATA);
  let numbers = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (let at: usize = 0; at < <usize>TEXT_BLOCK_POSTINGS; at += 16, numbers = i8x16.add(numbers, sixteen)) {
    v128.store(lead + at, numbers, CURSOR_FOUND_AT);
  }
}

/** Notes a posting of a cursor's decoded block, whose number there is noted for a row already. @returns its occurrences */
@inline
export function note(cursor: usize, row: u32): u32 {
  const at = <u32>load<u8>(cursor + <usize>row, CURSOR_FOUND_AT);
  const found = cursor + (<usize>row << 2), posting = cursor + (<usize>at << 2);
  let occurrences: u32;
  if (load<u32>(cursor, CURSOR_BLOCK) == load<u32>(cursor, CURSOR_BLOCKS)) {
    occurrences = load<u32>(posting, CURSOR_COUNTS);
    store<u32>(found, load<u32>(posting, CURSOR_POSITIONS), CURSOR_FOUND_DATA);
    store<u8>(cursor + <usize>row, TEXT_FOUND_IN_TAIL, CURSOR_FOUND_AT);
  } else {
    const data = load<u32>(cursor, CURSOR_DATA);
    occurrences = countAt(data, at);
    store<u32>(found, data, CURSOR_FOUND_DATA);
  }
  store<u32>(found, occurrences, CURSOR_FOUND_COUNTS);
  return occurrences;
}

/** The occurrences in a row. */
@inline
export function foundCount(cursor: usize, row: u32): u32 {
  return load<u32>(cursor + (<usize>row << 2), CURSOR_FOUND_COUNTS);
}

/** Address of the positions in a row. */
export function foundPositions(cursor: usize, row: u32): usize {
  const at = <u32>load<u8>(cursor + <usize>row, CURSOR_FOUND_AT);
  const data = <usize>load<u32>(cursor + (<usize>row << 2), CURSOR_FOUND_DATA);
  return at == TEXT_FOUND_IN_TAIL ? data : walkTo(cursor, data, at);
}

/** As `positionsAt`, from the posting that was looked at last: rows ascend, so that a block is passed over once. */
function walkTo(cursor: usize, data: usize, at: u32): usize {
  const bits = <u32>load<u8>(data, TEXT_BLOCK_COUNT_BITS), counts = countsOf(data);
  let positions = counts + <usize>bits * TEXT_PACKED_BYTES_A_BIT, passed: u32 = 0, four: u32 = 0, sum: u32 = 0;
  if (<usize>load<u32>(cursor, CURSOR_WALKED_BLOCK) == data && load<u32>(cursor, CURSOR_WALKED_AT) <= at) {
    positions = <usize>load<u32>(cursor, CURSOR_WALKED_POSITIONS);
    passed = load<u32>(cursor, CURSOR_WALKED_COUNT);
    four = load<u32>(cursor, CURSOR_WALKED_AT) >>> 2;
    sum = load<u32>(cursor, CURSOR_WALKED_SUM);
  }
  let count = at;
  if (bits != 0) {
    sum += sumOfFours(counts, bits, four, at >>> 2);
    count += sum + sumInFour(counts, bits, at);
  }
  positions = skipPositions(data, positions, count - passed);
  store<u32>(cursor, <u32>data, CURSOR_WALKED_BLOCK);
  store<u32>(cursor, at, CURSOR_WALKED_AT);
  store<u32>(cursor, <u32>positions, CURSOR_WALKED_POSITIONS);
  store<u32>(cursor, count, CURSOR_WALKED_COUNT);
  store<u32>(cursor, sum, CURSOR_WALKED_SUM);
  return positions;
}
