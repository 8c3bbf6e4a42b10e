// Judges by the errors of codes whether a graph search kept enough candidates
// (docs/decisions/086-wide-searches.md).
import type { Entries } from './heap-entries.ts';

/** Fewer rows say nothing of the others. */
const ERRORS_MIN = 8;
/** Of many rows; of few, which tell less of the others, some times as many: 5.3 of 33, 4.1 of 300. */
const DEVIATIONS = 3.5;
const FEW_ROWS = 3;
/** Copies of a row differ by no more from what is expected of them. */
const ROUNDING = 1e-6;

/** The candidates of a search, best first. */
export interface Candidates {
  /** By codes alone: scores without their errors. */
  readonly estimates: Entries;
  /** The same with the largest key that their errors allow, best first. */
  readonly bounds: Entries;
  /** The most by which a bound exceeds an estimate. */
  readonly largestRoom: number;
  /** What was scored: places among the bounds, and keys. */
  readonly scored: readonly { readonly at: number; readonly key: number }[];
}

/** The errors of the rows that the searches of a query have scored, as shares of the room that their bounds leave. */
export class CodeErrors {
  readonly #shares: number[] = [];

  /**
   * True when no row behind the last candidate is likely to be among the best.
   * @param worst the key of the worst of the best
   */
  tellApart(candidates: Candidates, worst: number): boolean {
    const { estimates, largestRoom } = candidates;
    const { keys, count } = estimates;
    const last = keys[2 * (count - 1)] ?? 0;
    if (last + largestRoom <= worst) return true;
    const leastRoom = this.#note(candidates);
    const rounding = ROUNDING * (Math.abs(last) + Math.abs(worst));
    const share = this.#shareMax();
    // Errors that only lower keys lower least where there is least room: where rooms differ, a row behind may have none.
    const haveOneRoom = largestRoom - leastRoom <= rounding;
    const room = share >= 0 || haveOneRoom ? largestRoom : 0;
    return last + share * room <= worst + rounding;
  }

  /** @returns the least by which a bound exceeds an estimate. */
  #note({ estimates, bounds, scored }: Candidates): number {
    const bySlot = new Map<number, number>();
    for (let at = 0; at < estimates.count; at++)
      bySlot.set(estimates.slots[2 * at + 1] ?? 0, estimates.keys[2 * at] ?? 0);
    const estimateOf = (at: number) => bySlot.get(bounds.slots[2 * at + 1] ?? 0) ?? 0;
    const roomOf = (at: number) => (bounds.keys[2 * at] ?? 0) - estimateOf(at);
    for (const { at, key } of scored) {
      const share = (key - estimateOf(at)) / roomOf(at);
      if (Number.isFinite(share)) this.#shares.push(share);
    }
    let least = Number.POSITIVE_INFINITY;
    for (let at = 0; at < bounds.count; at++) least = Math.min(least, roomOf(at));
    return least;
  }

  /** The largest share of its room that a row is likely to use. */
  #shareMax(): number {
    const { length } = this.#shares;
    if (length < ERRORS_MIN) return 1;
    const mean = meanOf(this.#shares);
    const variance = meanOf(this.#shares.map((share) => (share - mean) ** 2));
    const deviations = DEVIATIONS * (1 + FEW_ROWS / Math.sqrt(length));
    return Math.min(1, mean + deviations * Math.sqrt(variance));
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
