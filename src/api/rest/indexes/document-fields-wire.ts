// The fields of a document index as responses show them.
import {
  type DeclaredAnalysis,
  type DocumentField,
  type DocumentSchema,
  denseFieldOf,
  type FieldEmbedding,
  type StringField,
} from '../../../domain/document-schema.ts';
import type { TextAnalysis } from '../../../domain/full-text/text-analysis.ts';
import type { Index } from '../../../domain/index-model.ts';
import { TERM_CHARS_MAX } from '../../../domain/limits.ts';
import { parametersToWire } from './embed-wire.ts';

type Json = Readonly<Record<string, unknown>>;
type Vectors = Pick<Index, 'metric' | 'dimension'>;

export function documentFieldsToWire(schema: DocumentSchema, vectors: Vectors): Json {
  const dense = denseFieldOf(schema);
  return Object.fromEntries(
    Object.entries(schema.fields).map(([name, field]) => [
      name,
      fieldToWire(field, name === dense ? vectors : null),
    ]),
  );
}

/** @param vectors of the dense slot, when the field takes it */
function fieldToWire(field: DocumentField, vectors: Vectors | null): Json {
  switch (field.kind) {
    case 'dense': {
      const { dimension, metric, description } = field;
      return { type: 'dense_vector', dimension, metric, description };
    }
    case 'sparse':
      return { type: 'sparse_vector', description: field.description };
    case 'string':
      return stringToWire(field, vectors);
    case 'metadata':
      return { type: field.type, filterable: field.filterable };
  }
}

function stringToWire(field: StringField, vectors: Vectors | null): Json {
  const { description, storeText, fullText, declaredAnalysis, embed, sparseEmbed } = field;
  return {
    type: 'string',
    description,
    store_text: storeText,
    ...(fullText !== null && { full_text_search: analysisToWire(fullText, declaredAnalysis) }),
    ...(embed !== null && vectors !== null && { embed: embeddingToWire(embed, vectors) }),
    ...(sparseEmbed !== null && {
      sparse_embed: { model: sparseEmbed.model, ...parametersToWire(sparseEmbed, null) },
    }),
  };
}

function embeddingToWire(embed: FieldEmbedding, { dimension, metric }: Vectors): Json {
  return { model: embed.model, dimension, metric, ...parametersToWire(embed, dimension) };
}

function analysisToWire(
  { language, stemming, stopWords, ngram }: TextAnalysis,
  { lowercase = true, termLengthMax = TERM_CHARS_MAX }: DeclaredAnalysis = {},
): Json {
  return {
    language,
    stemming,
    stop_words: stopWords,
    lowercase,
    max_term_len: termLengthMax,
    ...(ngram !== null && {
      ngram: { min_gram: ngram.minGram, max_gram: ngram.maxGram, prefix_only: ngram.prefixOnly },
    }),
  };
}
