// The operators `$match_phrase`, `$match_all` and `$match_any` of filters on full-text fields.
import { invalid } from '../faults.ts';
import { analyzerOf } from './analysis/analyzer.ts';
import { MATCH_TOKENS_MAX } from './query-limits.ts';
import { allOf, anyOf, phraseOf, termsOf } from './query-parts.ts';
import type { TextAnalysis } from './text-analysis.ts';
import type { TextQuery } from './text-query.ts';

export const MATCH_OPERATORS = ['$match_phrase', '$match_all', '$match_any'] as const;

export type MatchOperator = (typeof MATCH_OPERATORS)[number];

/** A predicate on one field. The operand is taken literally. */
export interface MatchPredicate {
  readonly operator: MatchOperator;
  readonly field: string;
  readonly operand: string;
}

/**
 * The query of a predicate; one without a token matches nothing.
 * @throws a fault if the operand has more than MATCH_TOKENS_MAX tokens
 */
export function queryOfMatch(
  { operator, field, operand }: MatchPredicate,
  analysis: TextAnalysis,
): TextQuery {
  const tokens = analyzerOf(analysis).tokens(operand);
  if (tokens.length > MATCH_TOKENS_MAX) {
    throw invalid(
      `${operator} on field '${field}' takes up to ${MATCH_TOKENS_MAX} tokens, got ${tokens.length}`,
    );
  }
  const query =
    operator === '$match_phrase'
      ? phraseOf(field, tokens, 0)
      : operator === '$match_all'
        ? allOf(termsOf(field, tokens))
        : anyOf(termsOf(field, tokens));
  return query ?? { kind: 'none' };
}
