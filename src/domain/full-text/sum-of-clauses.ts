// Joins the text clauses of a search: a record matches one of them, and its score is the sum of those it matches.
import { anyOf } from './query-parts.ts';
import type { TextQuery } from './text-query.ts';

/** The query of all clauses; clauses that mean the same count once. */
export function sumOfClauses(clauses: readonly TextQuery[]): TextQuery {
  const different = new Map<string, TextQuery>();
  for (const clause of clauses) {
    const key = keyOf(clause);
    if (clause.kind !== 'none' && !different.has(key)) different.set(key, clause);
  }
  return anyOf([...different.values()]) ?? { kind: 'none' };
}

/**
 * Equal for queries that have the same matches and scores because they differ in order and nesting only. JSON that has the
 * keys of the parts as they are: escaped at each level of nesting, they would double in length.
 */
function keyOf(query: TextQuery): string {
  if (query.kind === 'boost') return `["boost",${query.factor},${keyOf(query.query)}]`;
  if (query.kind !== 'bool') return JSON.stringify(Object.entries(query).sort());
  const keys = [query.must, alternativesOf(query), query.mustNot].map((part) => part.map(keyOf).sort());
  return `["bool",${keys.map((part) => `[${part}]`)}]`;
}

/** The alternatives of a query, and in place of each that is itself a choice, its alternatives. */
function alternativesOf({ should }: Extract<TextQuery, { readonly kind: 'bool' }>): readonly TextQuery[] {
  return should.flatMap((each) =>
    each.kind === 'bool' && each.must.length === 0 && each.mustNot.length === 0
      ? alternativesOf(each)
      : [each],
  );
}
