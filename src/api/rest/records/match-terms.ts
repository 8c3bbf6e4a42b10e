// Reads match_terms: words that the text of every hit must contain, in any order. Like a filter, it applies before ranking.
import { invalid } from '../../../domain/faults.ts';
import type { EmbedModel } from '../../../domain/inference/model.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { optionalArray, optionalObject, optionalString } from './request-fields.ts';
import { strings } from './search-request.ts';

const TERMS_MAX = 100;

/**
 * Returns the terms; empty when the query has no such condition. The vectors of models that are not built in have
 * words of similar meaning besides those of a text, which would be required, too.
 * @throws invalid-argument
 */
export function readMatchTerms(
  query: JsonObject,
  { name, vectorType }: EmbedModel,
  isBuiltIn: boolean,
): readonly string[] {
  const condition = optionalObject(query, 'matchTerms');
  if (condition === undefined) return [];
  if (vectorType !== 'sparse') {
    throw invalid(`match_terms is for indexes with a sparse model; this one embeds with ${name}`);
  }
  if (!isBuiltIn) {
    throw invalid(
      `match_terms is for built-in sparse models; the server has another one as ${name}, which adds words to texts`,
    );
  }
  if ((optionalString(condition, 'strategy') ?? 'all') !== 'all') {
    throw invalid('query.match_terms.strategy must be all');
  }
  const terms = strings(optionalArray(condition, 'terms') ?? [], 'query.match_terms.terms');
  if (terms.length < 1 || terms.length > TERMS_MAX) {
    throw invalid(`query.match_terms.terms must hold 1 to ${TERMS_MAX} words, got ${terms.length}`);
  }
  if (terms.some((term) => term.trim() === '')) throw invalid('query.match_terms.terms must not be empty');
  return terms;
}
