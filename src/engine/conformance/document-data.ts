// Small document indexes and documents for tests of engines.
import type { DocumentSchema, StringField } from '../../domain/document-schema.ts';
import type { TextAnalysis } from '../../domain/full-text/text-analysis.ts';
import type { TextQuery } from '../../domain/full-text/text-query.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { Metadata, StorableRecord } from '../port/reader-and-writer.ts';

const PLAIN: TextAnalysis = { language: 'en', stemming: false, stopWords: false, ngram: null };
const STEMMED: TextAnalysis = { ...PLAIN, stemming: true, stopWords: true };

function text(fullText: TextAnalysis): StringField {
  return { kind: 'string', storeText: true, fullText, embed: null, sparseEmbed: null, description: null };
}

const TEXTS: DocumentSchema['fields'] = { text: text(PLAIN), title: text(PLAIN), body: text(STEMMED) };

/** Dense vectors of dimension 2, sparse ones, two fields of plain texts, and one of stemmed texts without stop words. */
export const DOCUMENTS = {
  metric: 'euclidean',
  dimension: 2,
  documents: {
    fields: {
      dense: { kind: 'dense', dimension: 2, metric: 'euclidean', description: null },
      sparse: { kind: 'sparse', description: null },
      ...TEXTS,
    },
  },
} as const satisfies Partial<IndexProfile>;

/** The same texts without vectors. */
export const TEXTS_ONLY = {
  metric: 'dotproduct',
  vectorType: 'sparse',
  dimension: null,
  documents: { fields: TEXTS },
} as const satisfies Partial<IndexProfile>;

/** A document; its dense values are [1, 0] unless given. */
export function document(
  id: string,
  fields: Metadata | null,
  values: readonly number[] | null = [1, 0],
): StorableRecord {
  return {
    id,
    values: values === null ? null : Float32Array.from(values),
    sparse: null,
    metadataJson: fields === null ? null : JSON.stringify(fields),
  };
}

/** Three documents of a DOCUMENTS index, or of a TEXTS_ONLY one without `values`. */
export function articles(): readonly StorableRecord[] {
  return [
    document('apple', { text: 'crisp apple fruit', title: 'orchard', group: 'fruit', year: 2020 }, [1, 0]),
    document(
      'car',
      { text: 'electric car vehicle', title: 'garage', group: 'vehicle', year: 2021 },
      [0.5, 0.5],
    ),
    document('pear', { text: 'fresh pear fruit', title: 'orchard', group: 'fruit', year: 2022 }, [0, 1]),
  ];
}

export function term(field: string, word: string): TextQuery {
  return { kind: 'term', field, term: word };
}

/** A phrase without slop and without gaps. */
export function phrase(
  field: string,
  words: readonly string[],
): Extract<TextQuery, { readonly kind: 'phrase' }> {
  return { kind: 'phrase', field, terms: words.map((each, position) => ({ term: each, position })), slop: 0 };
}

export function anyOf(...should: readonly TextQuery[]): TextQuery {
  return { kind: 'bool', must: [], should, mustNot: [] };
}
