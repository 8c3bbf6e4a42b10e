// An inference port for tests: all models of a fresh installation, computed from letters, without tables or threads.

import type { EmbeddingSource } from '../../domain/embedding/embedding-source.ts';
import { HOSTED_MODELS } from '../../domain/inference/hosted-models.ts';
import { type EmbedModel, isEmbedModel, type Model } from '../../domain/inference/model.ts';
import { PLAIN_MODELS } from '../../domain/inference/plain-models.ts';
import type { Embedding, Inference } from '../../domain/inference/port.ts';
import type { EmbedParameters } from '../../domain/inference/read-parameters.ts';
import { HANG_MS } from '../../platform/testing/until.ts';
import type { EmbedAnswer, Embedder, Reranker } from '../ports.ts';
import { ProviderError, TooLong } from '../provider-errors.ts';
import { type ServedModel, servedModels } from '../served-models.ts';

export interface TestInference extends Inference {
  /** Number of texts embedded and documents scored so far. */
  readonly counts: { texts: number; documents: number };
  /** Makes every model fail for this reason, until called with null. */
  fail(reason: string | null): void;
  /** Changes the source of all further vectors. */
  setRevision(revision: string): void;
  /** Makes the sparse models ones that are not built in, whose vectors may have more words than the text. */
  setSparseBuiltIn(isBuiltIn: boolean): void;
}

const BOUNDS = { countMax: 32, charsMax: 1_000_000, parallelMax: 4 };

/** Each run of characters without spaces is a word: one token, and one dimension or sparse index. */
export function testInference(models: readonly Model[] = [...HOSTED_MODELS, ...PLAIN_MODELS]): TestInference {
  const counts = { texts: 0, documents: 0 };
  const state = { failure: null as string | null, revision: '1', isSparseBuiltIn: true };
  const begin = () => {
    if (state.failure !== null) throw new ProviderError('broken', state.failure);
  };
  const common = { location: 'test', bounds: BOUNDS, isCached: false, close: async () => {} };
  const source = (): EmbeddingSource => ({ provider: 'test', revision: state.revision });
  const served = models.map((model): ServedModel => {
    if (!isEmbedModel(model)) {
      const score: Reranker['score'] = async ({ query, documents, parameters }) => {
        begin();
        counts.documents += documents.length;
        return documents.map((document, position) => {
          const tokens = wordsOf(query).length + wordsOf(document).length;
          fitted(Array(tokens).fill(''), position, parameters);
          return overlap(query, document);
        });
      };
      return { model, reranker: { ...common, source: source(), score } };
    }
    const embed: Embedder['embed'] = async ({ texts, parameters }) => {
      begin();
      counts.texts += texts.length;
      return answered(
        model,
        texts.map((text, position) => fitted(wordsOf(text), position, parameters)),
        parameters,
      );
    };
    return { model, embedder: { ...common, source: source(), embed } };
  });
  const inference = servedModels({
    served,
    notices: [],
    requestsMax: 1_000,
    deadlineMs: HANG_MS,
    cacheBytesMax: 0,
    onProviderError: () => {},
  });
  return {
    ...inference,
    embeddingSource: (name) => (inference.embeddingSource(name) === undefined ? undefined : source()),
    // Like these, it gives one index for each word.
    isBuiltIn: (name) => {
      const model = inference.model(name);
      return model?.kind === 'embed' && model.vectorType === 'sparse' && state.isSparseBuiltIn;
    },
    counts,
    fail: (reason) => {
      state.failure = reason;
    },
    setRevision: (revision) => {
      state.revision = revision;
    },
    setSparseBuiltIn: (isBuiltIn) => {
      state.isSparseBuiltIn = isBuiltIn;
    },
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

type Limits = Pick<EmbedParameters, 'truncate' | 'tokensMax'>;

function fitted(
  words: readonly string[],
  position: number,
  { truncate, tokensMax }: Limits,
): readonly string[] {
  if (words.length <= tokensMax) return words;
  if (truncate === 'NONE') throw new TooLong(position, { tokens: words.length, tokensMax });
  return truncate === 'END' ? words.slice(0, tokensMax) : words.slice(-tokensMax);
}

function answered(
  model: EmbedModel,
  texts: readonly (readonly string[])[],
  parameters: EmbedParameters,
): EmbedAnswer {
  const embeddings = texts.map((words) =>
    model.vectorType === 'dense' ? dense(words, parameters) : sparse(words, parameters),
  );
  return { embeddings, tokens: texts.map((words) => Math.max(1, words.length)) };
}

function dense(words: readonly string[], { dimension, inputType }: EmbedParameters): Embedding {
  const values = new Float32Array(dimension ?? 1);
  // Queries differ slightly from passages, as in real models.
  values[0] = inputType === 'query' ? 0.1 : 0.2;
  for (const word of words) values[1 + (hashOf(word) % (values.length - 1))] = 1;
  const length = Math.hypot(...values);
  return { vectorType: 'dense', values: values.map((value) => value / length) };
}

function sparse(words: readonly string[], { returnTokens, inputType }: EmbedParameters): Embedding {
  const byIndex = new Map(words.map((word) => [hashOf(word), word]));
  const indices = Uint32Array.from(byIndex.keys()).toSorted();
  const values = new Float32Array(indices.length).fill(inputType === 'query' ? 1 : 2);
  const tokens = Array.from(indices, (index) => byIndex.get(index) ?? '');
  return { vectorType: 'sparse', indices, values, ...(returnTokens ? { tokens } : {}) };
}

/** FNV-1a, 32 bits. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** Share of the query's words that the document contains. */
function overlap(query: string, document: string): number {
  const words = new Set(wordsOf(document));
  const queryWords = wordsOf(query);
  return queryWords.filter((word) => words.has(word)).length / Math.max(1, queryWords.length);
}
