// What all clauses of a search may cost together: a hundred clauses are not a hundred times as dear as one.
import { invalid } from '../faults.ts';
import { QUERY_EXPANDING_LEAVES_MAX, QUERY_TERMS_MAX } from './query-limits.ts';

/** Counts what the queries of one request look up; each field counts. */
export class QueryBudget {
  #terms = 0;
  #expandingLeaves = 0;

  /** @throws invalid-argument for more than QUERY_TERMS_MAX terms in all */
  takeTerms(count: number): void {
    this.#terms += count;
    if (this.#terms <= QUERY_TERMS_MAX) return;
    throw invalid(
      `The query searches for more than ${QUERY_TERMS_MAX} terms, counted in each field and clause`,
    );
  }

  /** @throws invalid-argument for more than QUERY_EXPANDING_LEAVES_MAX in all */
  takeExpandingLeaves(count: number): void {
    this.#expandingLeaves += count;
    if (this.#expandingLeaves <= QUERY_EXPANDING_LEAVES_MAX) return;
    throw invalid(
      `The query has more than ${QUERY_EXPANDING_LEAVES_MAX} fuzzy words, prefix phrases and regular expressions, counted in each field and clause`,
    );
  }
}
