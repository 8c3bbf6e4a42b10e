// A `text` clause: words searched for in some fields, any of which may match.
import { analyzerOf } from './analysis/analyzer.ts';
import { anyOf, termsOf } from './query-parts.ts';
import type { TextAnalysis } from './text-analysis.ts';
import type { TextQuery } from './text-query.ts';

/**
 * The query of a clause over its fields: the score sums all terms in all fields, with equal weight. A field or a word that
 * is named twice counts once. The text is taken literally.
 */
export function queryOfText(text: string, fields: ReadonlyMap<string, TextAnalysis>): TextQuery {
  const queries = [...fields].flatMap(([field, analysis]) =>
    termsOf(field, analyzerOf(analysis).tokens(text)),
  );
  return anyOf(queries) ?? { kind: 'none' };
}
