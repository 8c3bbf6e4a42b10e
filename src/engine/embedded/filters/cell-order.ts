// The order of cells in sorted runs: numbers ascend, and all cells that are no numbers lie before or behind them.

/** Bounds of numbers, inclusive. */
export interface NumericRange {
  readonly low: number;
  readonly high: number;
}

/** A cell in two words (uint32) that compare as unsigned numbers, the high one first. */
export interface CellKey {
  readonly low: number;
  readonly high: number;
}

/** Cells from one to another, inclusive. */
export interface CellRange {
  readonly first: CellKey;
  readonly last: CellKey;
}

/** The high word of the key of a cell: a positive number's sign is inverted, and all bits of a negative one. */
export function keyHigh(high: number): number {
  return (high ^ ((high >> 31) | 0x80000000)) >>> 0;
}

/** The low word of the key of a cell. */
export function keyLow(low: number, high: number): number {
  return (low ^ (high >> 31)) >>> 0;
}

/** The range of one cell. */
export function rangeOfCell({ low, high }: { readonly low: number; readonly high: number }): CellRange {
  const key = { low: keyLow(low, high), high: keyHigh(high) };
  return { first: key, last: key };
}

/** The cells of numbers in a range; null for none. */
export function rangeOfNumbers({ low, high }: NumericRange): CellRange | null {
  return low <= high ? { first: keyOfNumber(low), last: keyOfNumber(high) } : null;
}

/** The key of the next cell in order; null behind the last. */
export function keyAfter({ low, high }: CellKey): CellKey | null {
  if (low < 0xffffffff) return { low: low + 1, high };
  return high < 0xffffffff ? { low: 0, high: high + 1 } : null;
}

const number = new Float64Array(1);
/** Shared, because a number is encoded at once. */
const words = new Uint32Array(number.buffer);

function keyOfNumber(value: number): CellKey {
  number[0] = value + 0; // -0 + 0 is 0
  const [low = 0, high = 0] = words;
  return { low: keyLow(low, high), high: keyHigh(high) };
}
