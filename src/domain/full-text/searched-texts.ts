// The texts of an index that searches rank by: full-text fields of documents, or the texts that an index embeds itself.
import { type DocumentSchema, textFieldsOf } from '../document-schema.ts';
import { analyzerOf } from './analysis/analyzer.ts';
import { anyOf, termsOf } from './query-parts.ts';
import type { TextAnalysis } from './text-analysis.ts';
import type { TextQuery } from './text-query.ts';

/** English like the model: stems, without the words that bind others. Posting lists on disk depend on it. */
const RANKED_ANALYSIS: TextAnalysis = { language: 'en', stemming: true, stopWords: true, ngram: null };
/** More than a paragraph has. Each costs the scan of a posting list in each field. */
const RANKED_TERMS_MAX = 256;
/** Of a query; a term is rarely longer than 80 characters. */
const RANKED_CHARS_MAX = 20_000;

export interface SearchedIndex {
  readonly documents: DocumentSchema | null;
  /**
   * Metadata fields of an index of vectors whose texts rank searches, the oldest first, so that a further one does not
   * change the numbers of those before. They stay fields for filters. Absent where there are none.
   */
  readonly rankedFields?: readonly string[];
}

/** The analysis of each field that text queries can name. */
export function searchedTextsOf({
  documents,
  rankedFields = [],
}: SearchedIndex): ReadonlyMap<string, TextAnalysis> {
  if (documents !== null) return textFieldsOf(documents);
  return new Map(rankedFields.map((field) => [field, RANKED_ANALYSIS]));
}

/** Any of the first words of a text in any of the ranked fields, each once; null where the index has no such fields. */
export function rankedTextQuery(text: string, { rankedFields = [] }: SearchedIndex): TextQuery | null {
  if (rankedFields.length === 0) return null;
  const tokens = analyzerOf(RANKED_ANALYSIS).tokens(text.slice(0, RANKED_CHARS_MAX));
  const first = [...new Map(tokens.map((token) => [token.term, token])).values()].slice(0, RANKED_TERMS_MAX);
  return anyOf(rankedFields.flatMap((field) => termsOf(field, first))) ?? { kind: 'none' };
}
