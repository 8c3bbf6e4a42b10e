// What text queries need scratch memory for, before they are bound to the terms of a namespace.
import { AUTOMATON_EXPANSIONS_MAX } from '../../../domain/full-text/query-limits.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';

/** Terms of one search of posting lists; queries of more are decided record by record. */
const LIST_TERMS_MAX = 2_048;

/** The most terms of any of the queries; 0 without queries. */
export function textTerms(queries: readonly TextQuery[]): number {
  const most = queries.reduce((max, query) => Math.max(max, isExpansion(query) ? 1 : termsOf(query)), 0);
  return queries.length === 0 ? 0 : Math.min(LIST_TERMS_MAX, Math.max(1, most));
}

/** True when all that a query needs of its terms is a bitmap, term by term. */
function isExpansion(query: TextQuery): boolean {
  return query.kind === 'boost' ? isExpansion(query.query) : query.kind === 'fuzzy' || query.kind === 'regex';
}

/** Bounds to keep for the best `capacity`, where records decide: more than their order is likely to need. */
export function textCapacity(capacity: number): number {
  return 2 * capacity + 64;
}

function termsOf(query: TextQuery): number {
  switch (query.kind) {
    case 'term':
      return 1;
    case 'phrase':
      return query.terms.length;
    case 'phrasePrefix':
      return query.terms.length + query.expansionsMax;
    case 'fuzzy':
    case 'regex':
      return AUTOMATON_EXPANSIONS_MAX;
    case 'boost':
      return termsOf(query.query);
    case 'bool':
      return [...query.must, ...query.should, ...query.mustNot].reduce((sum, part) => sum + termsOf(part), 0);
    default:
      return 0;
  }
}
