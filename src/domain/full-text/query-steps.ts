// What the text queries of one search may cost an engine, in steps that are the same on every machine.
import { invalid } from '../faults.ts';
import { QUERY_STEPS_MAX } from './query-limits.ts';

/** Counts the steps of one search. Reading one posting list, or scoring a record by one term, counts as nothing. */
export class QuerySteps {
  #left: number;

  /** @param max for tests */
  constructor(max = QUERY_STEPS_MAX) {
    this.#left = max;
  }

  /** Steps that may still be taken. */
  get left(): number {
    return this.#left;
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
