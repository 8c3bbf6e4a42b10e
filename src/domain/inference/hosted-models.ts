// The hosted models of the public service, with their published properties.
import type { EmbedModel, Model, RerankModel } from './model.ts';
import {
  dimension,
  inputType,
  maxChunksPerDoc,
  maxTokensPerDoc,
  maxTokensPerSequence,
  returnTokens,
  SPARSE_TOKENS,
  truncate,
} from './model-parameters.ts';

const EMBED_BATCH_MAX = 96;
/** Models that take several rank fields publish no limit; more than this would be a mistake. */
const RANK_FIELDS_MAX = 100;

const LLAMA_DIMENSIONS = [384, 512, 768, 1_024, 2_048] as const;
const DIMENSION_DEFAULT = 1_024;

const EMBED_MODELS: readonly EmbedModel[] = [
  {
    name: 'llama-text-embed-v2',
    kind: 'embed',
    vectorType: 'dense',
    shortDescription:
      'Dense embeddings for retrieval within and across languages, with long inputs and resizable vectors.',
    maxSequenceLength: 2_048,
    maxBatchSize: EMBED_BATCH_MAX,
    providerName: 'NVIDIA',
    defaultDimension: DIMENSION_DEFAULT,
    dimensions: LLAMA_DIMENSIONS,
    metrics: ['cosine', 'dotproduct'],
    parameters: [
      inputType,
      truncate(['END', 'NONE', 'START'], 'END'),
      dimension(LLAMA_DIMENSIONS, DIMENSION_DEFAULT),
    ],
  },
  {
    name: 'multilingual-e5-large',
    kind: 'embed',
    vectorType: 'dense',
    shortDescription: 'Dense embeddings in many languages, made for noisy text and short queries.',
    maxSequenceLength: 507,
    maxBatchSize: EMBED_BATCH_MAX,
    providerName: 'Microsoft',
    defaultDimension: DIMENSION_DEFAULT,
    dimensions: [DIMENSION_DEFAULT],
    metrics: ['cosine', 'euclidean'],
    parameters: [inputType, truncate(['END', 'NONE'], 'END')],
  },
  {
    name: 'pinecone-sparse-english-v0',
    kind: 'embed',
    vectorType: 'sparse',
    shortDescription: 'Sparse weights of the words of English text, for search by keywords.',
    maxSequenceLength: SPARSE_TOKENS[0],
    maxBatchSize: EMBED_BATCH_MAX,
    providerName: 'Pinecone',
    metrics: ['dotproduct'],
    parameters: [inputType, truncate(['END', 'NONE'], 'END'), returnTokens, maxTokensPerSequence],
  },
];

const RERANK_MODELS: readonly RerankModel[] = [
  {
    name: 'bge-reranker-v2-m3',
    kind: 'rerank',
    shortDescription: 'Reranker for text in many languages, from one field of each document.',
    maxSequenceLength: 1_024,
    maxBatchSize: 100,
    providerName: 'BAAI',
    rankFieldsMax: 1,
    limitCounts: 'pair',
    parameters: [truncate(['END', 'NONE'], 'NONE')],
  },
  {
    name: 'pinecone-rerank-v0',
    kind: 'rerank',
    shortDescription: 'Reranker for precise retrieval, from one field of each document.',
    maxSequenceLength: 512,
    maxBatchSize: 100,
    providerName: 'Pinecone',
    rankFieldsMax: 1,
    limitCounts: 'pair',
    parameters: [truncate(['END', 'NONE'], 'END')],
  },
  {
    name: 'cohere-rerank-3.5',
    kind: 'rerank',
    shortDescription: 'Reranker for long and structured documents, from several fields.',
    maxSequenceLength: 40_000,
    maxBatchSize: 200,
    providerName: 'Cohere',
    rankFieldsMax: RANK_FIELDS_MAX,
    limitCounts: 'pair',
    parameters: [maxChunksPerDoc],
  },
  {
    name: 'cohere-rerank-4-fast',
    kind: 'rerank',
    shortDescription: 'Fast reranker for many documents a request, from several fields.',
    maxSequenceLength: 8_192,
    maxBatchSize: 250,
    providerName: 'Cohere',
    rankFieldsMax: RANK_FIELDS_MAX,
    limitCounts: 'document',
    parameters: [maxTokensPerDoc],
  },
];

export const HOSTED_MODELS: readonly Model[] = [...EMBED_MODELS, ...RERANK_MODELS];
