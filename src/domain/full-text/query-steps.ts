// What the text queries of one search may cost an engine, in steps that are the same on every machine.
import { invalid } from '../faults.ts';
import { QUERY_STEPS_MAX } from './query-limits.ts';

/** Counts the steps of one search. Reading one posting list, or scoring a record by one term, counts as nothing. */
export class QuerySteps {
  readonly #max: number;
  #left: number;

  /** @param max for tests */
  constructor(max = QUERY_STEPS_MAX) {
    this.#max = max;
    this.#left = max;
  }

  /** Steps that may still be taken. */
  get left(): number {
    return this.#left;
  }

  /**
   * Gives back steps for other work that the search has just done, up to those it began with: what reads all records may
   * take as many again for each, but never more than these at a time.
   */
  allow(steps: number): void {
    this.#left = Math.min(this.#max, this.#left + steps);
  }

  /** @throws invalid-argument once there are more than QUERY_STEPS_MAX */
  take(steps: number): void {
    this.#left -= steps;
    if (this.#left >= 0) return;
    throw invalid(
      `The query is too expensive: it takes more than ${QUERY_STEPS_MAX} steps (terms tested, parts evaluated, positions compared) in this namespace; make it more specific`,
    );
  }
}
