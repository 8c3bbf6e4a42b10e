// Small queries over analyzed terms, of which clauses and query strings are made.
import type { Token } from './text-analysis.ts';
import type { TextQuery } from './text-query.ts';

/** At least one of the queries; null when there is none. */
export function anyOf(queries: readonly TextQuery[]): TextQuery | null {
  if (queries.length > 1) return { kind: 'bool', must: [], should: queries, mustNot: [] };
  return queries[0] ?? null;
}

/** All of the queries; null when there is none. */
export function allOf(queries: readonly TextQuery[]): TextQuery | null {
  if (queries.length > 1) return { kind: 'bool', must: queries, should: [], mustNot: [] };
  return queries[0] ?? null;
}

/** The tokens at their distances: one as a term, several as a phrase; null when there is none. */
export function phraseOf(field: string, tokens: readonly Token[], slop: number): TextQuery | null {
  const [first, ...others] = tokens;
  if (first === undefined) return null;
  if (others.length === 0) return { kind: 'term', field, term: first.term };
  const terms = tokens.map(({ term, position }) => ({ term, position: position - first.position }));
  return { kind: 'phrase', field, terms, slop };
}

/** One query for each different term. */
export function termsOf(field: string, tokens: readonly Token[]): readonly TextQuery[] {
  return [...new Set(tokens.map(({ term }) => term))].map((term) => ({ kind: 'term', field, term }));
}
