// A `text` clause: words searched for in some fields, any of which may match.
import { analyzerOf } from './analysis/analyzer.ts';
import { QueryBudget } from './query-budget.ts';
import { anyOf, termsOf } from './query-parts.ts';
import type { TextAnalysis } from './text-analysis.ts';
import type { TextQuery } from './text-query.ts';

/**
 * The query of a clause over its fields: the score sums all terms in all fields, with equal weight. A field or a word that
 * is named twice counts once. The text is taken literally.
 * @param budget what the clauses of the same request leave to this one
 * @throws invalid-argument for too many terms
 */
export function queryOfText(
  text: string,
  fields: ReadonlyMap<string, TextAnalysis>,
  budget = new QueryBudget(),
): TextQuery {
  const queries = [...fields].flatMap(([field, analysis]) => {
    const tokens = analyzerOf(analysis).tokens(text);
    budget.takeTerms(tokens.length);
    return termsOf(field, tokens);
  });
  return anyOf(queries) ?? { kind: 'none' };
}
