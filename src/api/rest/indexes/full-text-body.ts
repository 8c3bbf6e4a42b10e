// The full_text_search object of a field: how its text is analyzed.
import type { StringField } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { DEFAULT_LANGUAGE, hasStopWords, languageNamed } from '../../../domain/full-text/languages.ts';
import {
  type NgramAnalysis,
  TEXT_LANGUAGES,
  type TextAnalysis,
} from '../../../domain/full-text/text-analysis.ts';
import { NGRAM_MAX, TERM_CHARS_MAX } from '../../../domain/limits.ts';
import { quoted } from '../../../domain/quoted.ts';
import { type Static, Type } from '../../schema/type.ts';

const NgramBody = Type.Object(
  {
    min_gram: Type.Integer({ minimum: 1, maximum: NGRAM_MAX }),
    max_gram: Type.Integer({ minimum: 1, maximum: NGRAM_MAX }),
    prefix_only: Type.Optional(
      Type.Boolean({ default: false, description: 'Only grams that start where a word starts.' }),
    ),
  },
  { additionalProperties: false, description: 'Indexes character n-grams in place of words.' },
);

const FIXED = 'For preview clients only, which get it back; it has no effect.';

export const FullTextSearchBody = Type.Object(
  {
    language: Type.Optional(
      Type.String({
        default: DEFAULT_LANGUAGE,
        description: `A code (${TEXT_LANGUAGES.join(', ')}) or the English name of the language, in any case.`,
      }),
    ),
    stemming: Type.Optional(Type.Boolean({ default: false })),
    stop_words: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'True drops stop words; needs stemming, and a language with a list of them.',
      }),
    ),
    ngram: Type.Optional(NgramBody),
    lowercase: Type.Optional(Type.Boolean({ description: `${FIXED} Texts are always in lower case.` })),
    max_term_len: Type.Optional(
      Type.Integer({ description: `${FIXED} Terms are always cut to ${TERM_CHARS_MAX} characters.` }),
    ),
  },
  { additionalProperties: false, description: 'Makes a string field searchable by its words.' },
);

/** @throws invalid-argument */
export function textAnalysis(field: string, body: Static<typeof FullTextSearchBody>): TextAnalysis {
  const { stemming = false, stop_words: stopWords = false } = body;
  const named = body.language ?? DEFAULT_LANGUAGE;
  const language = languageNamed(named);
  if (language === undefined) {
    throw invalid(
      `Field '${field}': full_text_search.language must be one of ${TEXT_LANGUAGES.join(', ')}, got ${quoted(named)}.`,
    );
  }
  const ngram = body.ngram === undefined ? null : ngramAnalysis(field, body.ngram);
  if (ngram !== null && (stemming || stopWords)) {
    throw invalid(`Field '${field}': full_text_search.ngram excludes stemming and stop_words.`);
  }
  if (stopWords && !stemming) {
    throw invalid(`Field '${field}': full_text_search.stop_words requires stemming.`);
  }
  if (stopWords && !hasStopWords(language)) {
    throw invalid(
      `Field '${field}': full_text_search.stop_words is not available for language '${language}'.`,
    );
  }
  return { language, stemming, stopWords, ngram };
}

/**
 * What a preview client declares of an analysis though it is fixed; none where it declares nothing.
 * @throws invalid-argument for other clients
 */
export function declaredAnalysis(
  field: string,
  { lowercase, max_term_len: termLengthMax }: Static<typeof FullTextSearchBody>,
  { isPreview }: { readonly isPreview: boolean },
): Pick<StringField, 'declaredAnalysis'> {
  if (lowercase === undefined && termLengthMax === undefined) return {};
  if (!isPreview) {
    const key = lowercase === undefined ? 'max_term_len' : 'lowercase';
    throw invalid(`Field '${field}': full_text_search.${key} is fixed and cannot be requested.`);
  }
  return {
    declaredAnalysis: {
      ...(lowercase !== undefined && { lowercase }),
      ...(termLengthMax !== undefined && { termLengthMax }),
    },
  };
}

function ngramAnalysis(field: string, body: Static<typeof NgramBody>): NgramAnalysis {
  const { min_gram: minGram, max_gram: maxGram, prefix_only: prefixOnly = false } = body;
  if (minGram < 1 || minGram > maxGram || maxGram > NGRAM_MAX) {
    throw invalid(
      `Field '${field}': full_text_search.ngram requires 1 <= min_gram <= max_gram <= ${NGRAM_MAX}, got ${minGram} and ${maxGram}.`,
    );
  }
  return { minGram, maxGram, prefixOnly };
}
