// The built-in models under their own names, for users who want exactly these, whatever serves the hosted names.
import type { Model } from './model.ts';
import {
  dimension,
  inputType,
  maxTokensPerSequence,
  returnTokens,
  SPARSE_TOKENS,
  truncate,
} from './model-parameters.ts';

export const BUILT_IN_NAME = 'Pinyon built-in';

const DIMENSIONS = [384, 512, 768, 1_024, 2_048] as const;
const DIMENSION_DEFAULT = 1_024;
const TOKENS_MAX = 2_048;
const BATCH_MAX = 96;
const DOCUMENTS_MAX = 250;

export const PLAIN_MODELS: readonly Model[] = [
  {
    name: 'builtin-english',
    kind: 'embed',
    vectorType: 'dense',
    shortDescription:
      'Hashed words and letter groups of any language, joined with a table of English word meanings; no neural network.',
    maxSequenceLength: TOKENS_MAX,
    maxBatchSize: BATCH_MAX,
    providerName: BUILT_IN_NAME,
    defaultDimension: DIMENSION_DEFAULT,
    dimensions: DIMENSIONS,
    metrics: ['cosine', 'dotproduct', 'euclidean'],
    parameters: [
      inputType,
      truncate(['END', 'NONE', 'START'], 'END'),
      dimension(DIMENSIONS, DIMENSION_DEFAULT),
    ],
  },
  {
    name: 'bm25-english',
    kind: 'embed',
    vectorType: 'sparse',
    shortDescription: 'BM25 weights of English word stems, for search by keywords.',
    maxSequenceLength: SPARSE_TOKENS[0],
    maxBatchSize: BATCH_MAX,
    providerName: BUILT_IN_NAME,
    metrics: ['dotproduct'],
    parameters: [inputType, truncate(['END', 'NONE', 'START'], 'END'), returnTokens, maxTokensPerSequence],
  },
  {
    name: 'builtin-rerank',
    kind: 'rerank',
    shortDescription:
      'Reranks by how well the words of query and document match in meaning; no neural network.',
    maxSequenceLength: TOKENS_MAX,
    maxBatchSize: DOCUMENTS_MAX,
    providerName: BUILT_IN_NAME,
    rankFieldsMax: 100,
    limitCounts: 'pair',
    parameters: [truncate(['END', 'NONE', 'START'], 'END')],
  },
];
