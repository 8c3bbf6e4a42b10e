// How the text of a field becomes tokens: fixed when the index is created, the same for records, queries and filters.

/** Languages with a stemmer, by their short codes. */
export const TEXT_LANGUAGES = [
  'ar',
  'da',
  'de',
  'el',
  'en',
  'es',
  'fi',
  'fr',
  'hu',
  'it',
  'nl',
  'no',
  'pt',
  'ro',
  'ru',
  'sv',
  'ta',
  'tr',
] as const;

export type TextLanguage = (typeof TEXT_LANGUAGES)[number];

/** Character n-grams in place of words. */
export interface NgramAnalysis {
  /** Code points, 1 to `maxGram`. */
  readonly minGram: number;
  /** Code points, up to NGRAM_MAX. */
  readonly maxGram: number;
  /** True: only grams that start where a word starts. */
  readonly prefixOnly: boolean;
}

/** `stopWords` needs `stemming`; `ngram` excludes both. */
export interface TextAnalysis {
  readonly language: TextLanguage;
  readonly stemming: boolean;
  readonly stopWords: boolean;
  readonly ngram: NgramAnalysis | null;
}

/** One token of a text. */
export interface Token {
  readonly term: string;
  /** Number of the word in the text, from 0. Stop words are dropped but counted, so that phrases keep their gaps. */
  readonly position: number;
}
