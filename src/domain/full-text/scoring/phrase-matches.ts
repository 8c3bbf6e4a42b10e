// Finds the occurrences of a phrase in a field.
import type { QuerySteps } from '../query-steps.ts';

/** A term of a phrase in a field. */
export interface PhrasePart {
  /** Ascending; terms that are equal may share a list. */
  readonly positions: readonly number[];
  /** Of the term in the phrase. */
  readonly offset: number;
}

/**
 * Counts the occurrences of a phrase. The rarest term of the namespace comes first, at equal numbers of records the one
 * earlier in the phrase.
 * @param steps what each look at a position is charged to; null for tests and models
 */
export function countPhrases(
  parts: readonly PhrasePart[],
  slop: number,
  steps: QuerySteps | null = null,
): number {
  const matches = new PhraseMatches(parts, slop, steps);
  let count = 0;
  while (matches.next()) count++;
  return count;
}

/**
 * The occurrences of a phrase, one after the other. Each takes one position of each term; less their offsets, no two are
 * more than `slop` apart. Positions that lie too far behind another term's are passed over, and when those of all terms are
 * close enough, they are an occurrence and consumed. Of the rarest term, the first, it takes the last position that is not
 * behind the others. For two terms this is what tantivy finds.
 *
 * Lists are searched by doubling steps from where they were left (Bentley and Yao, "An almost optimal algorithm for
 * unbounded searching", 1976), so that the rarest term decides how much is looked at.
 */
export class PhraseMatches {
  readonly #lists: readonly (readonly number[])[];
  readonly #offsets: readonly number[];
  readonly #slop: number;
  readonly #steps: QuerySteps | null;
  /** Numbers of the foremost positions. */
  readonly #cursors: number[];
  #isStarted = false;

  constructor(parts: readonly PhrasePart[], slop: number, steps: QuerySteps | null) {
    this.#lists = parts.map(({ positions }) => positions);
    this.#offsets = parts.map(({ offset }) => offset);
    this.#slop = slop;
    this.#steps = steps;
    this.#cursors = parts.map(() => 0);
  }

  /** Goes to the next occurrence. @returns false when there is none. @throws invalid-argument for too many steps */
  next(): boolean {
    const cursors = this.#cursors;
    const count = cursors.length;
    if (this.#isStarted) for (let part = 0; part < count; part++) cursors[part] = (cursors[part] ?? 0) + 1;
    this.#isStarted = true;
    let high = BEFORE_ALL;
    /** Terms in a row that were found close enough to the foremost position. */
    let close = 0;
    for (let part = 0; close < count; part = part + 1 === count ? 0 : part + 1) {
      this.#steps?.take(1);
      const positions = this.#lists[part] ?? [];
      const offset = this.#offsets[part] ?? 0;
      const least = high - this.#slop + offset;
      let at = cursors[part] ?? 0;
      if ((positions[at] ?? least) < least) at = firstFrom(positions, at, least);
      cursors[part] = at;
      const position = positions[at];
      if (position === undefined) return false;
      close = position - offset > high ? 1 : close + 1;
      high = Math.max(high, position - offset);
    }
    if (this.#slop > 0) this.#takeLast();
    return count > 0;
  }

  /** The position that a term has in the occurrence. */
  positionOf(part: number): number {
    return this.#lists[part]?.[this.#cursors[part] ?? 0] ?? 0;
  }

  /** Goes to the last position of the first term that is not behind all others. */
  #takeLast(): void {
    let high = BEFORE_ALL;
    for (let part = 1; part < this.#cursors.length; part++)
      high = Math.max(high, this.positionOf(part) - (this.#offsets[part] ?? 0));
    const own = this.#cursors[0] ?? 0;
    const passed = firstFrom(this.#lists[0] ?? [], own, high + 1 + (this.#offsets[0] ?? 0));
    if (passed > own) this.#cursors[0] = passed - 1;
  }
}

/** Below all positions less their offsets and any slop. */
const BEFORE_ALL = -(2 ** 28);

/** Number of the first position, from number `at` on, that is not lower than `least`; their count when there is none. */
function firstFrom(positions: readonly number[], at: number, least: number): number {
  let low = at;
  let high = at;
  for (let step = 1; high < positions.length && (positions[high] ?? 0) < least; step *= 2) {
    low = high + 1;
    high += step;
  }
  high = Math.min(high, positions.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((positions[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return Math.min(low, positions.length);
}
