// The inference port: dispatches requests to the runner of their model, and closes all runners together.

import { BUILT_IN, type EmbeddingSource } from '../domain/embedding/embedding-source.ts';
import type { EmbedModel, Model, RerankModel } from '../domain/inference/model.ts';
import type {
  CallOptions,
  EmbedRequest,
  Inference,
  InferRequest,
  NliProbabilities,
  RerankRequest,
} from '../domain/inference/port.ts';
import type { Embedder, Reranker } from './ports.ts';
import type { ProviderError } from './provider-errors.ts';
import { CallRunner, type CallRunnerOptions } from './runner/call-runner.ts';
import { CircuitBreaker } from './runner/circuit-breaker.ts';
import { EmbedRunner, type KeptEmbedding } from './runner/embed-runner.ts';
import { RerankRunner } from './runner/rerank-runner.ts';
import { ResultCache } from './runner/result-cache.ts';

/** A model with its provider. */
export type ServedModel =
  | { readonly model: EmbedModel; readonly embedder: Embedder }
  | { readonly model: RerankModel; readonly reranker: Reranker };

export interface ServedModelsOptions {
  readonly served: readonly ServedModel[];
  readonly notices: readonly string[];
  /** Running and waiting requests for each model. */
  readonly requestsMax: number;
  readonly deadlineMs: number;
  readonly cacheBytesMax: number;
  readonly onProviderError: (model: string, providerError: ProviderError) => void;
}

/** The shares of the cache for scores and judgements, which are much smaller than vectors. */
const SCORES_SHARE = 0.1;
const JUDGEMENTS_SHARE = 0.05;

export function servedModels(options: ServedModelsOptions): Inference {
  const { served, notices, cacheBytesMax } = options;
  const vectors = new ResultCache<KeptEmbedding>(cacheBytesMax * (1 - SCORES_SHARE - JUDGEMENTS_SHARE));
  const scores = new ResultCache<number>(cacheBytesMax * SCORES_SHARE);
  const judgements = new ResultCache<NliProbabilities>(cacheBytesMax * JUDGEMENTS_SHARE);
  const locations = new Map<string, CircuitBreaker>();
  const embedRunners = new Map<string, EmbedRunner>();
  const rerankRunners = new Map<string, RerankRunner>();
  const sources = new Map<string, EmbeddingSource>();
  const builtIn = new Set<string>();

  for (const one of served) {
    const provider = 'embedder' in one ? one.embedder : one.reranker;
    const { name } = one.model;
    const location = locations.getOrInsertComputed(
      provider.location,
      () => new CircuitBreaker({ counts: ['down'] }),
    );
    if (provider.source.provider === BUILT_IN) builtIn.add(name);
    const calls = new CallRunner(
      runnerOptions(options, { name, parallelMax: provider.bounds.parallelMax, location }),
    );
    if ('embedder' in one) {
      embedRunners.set(name, new EmbedRunner({ ...one, calls, cache: vectors }));
      sources.set(name, one.embedder.source);
    } else rerankRunners.set(name, new RerankRunner({ ...one, calls, scores, judgements }));
  }
  const models = new Map<string, Model>(served.map(({ model }) => [model.name, model]));
  const providers = new Set(served.map((one) => ('embedder' in one ? one.embedder : one.reranker)));
  return {
    models: () => [...models.values()],
    model: (name) => models.get(name),
    embeddingSource: (name) => sources.get(name),
    isBuiltIn: (name) => builtIn.has(name),
    embed: (request: EmbedRequest, call: CallOptions = {}) =>
      runnerOf(embedRunners, request.model.name).embed(request, call.signal),
    rerank: (request: RerankRequest, call: CallOptions = {}) =>
      runnerOf(rerankRunners, request.model.name).rerank(request, call.signal),
    tellsEntailment: (name) => rerankRunners.get(name)?.tellsEntailment === true,
    infer: (request: InferRequest, call: CallOptions = {}) =>
      runnerOf(rerankRunners, request.model.name).infer(request, call.signal),
    notices: () => notices,
    close: async () => {
      await Promise.all([...providers].map((provider) => provider.close()));
    },
  };
}

interface RunnerFacts {
  readonly name: string;
  readonly parallelMax: number;
  readonly location: CircuitBreaker;
}

function runnerOptions(
  options: ServedModelsOptions,
  { name, parallelMax, location }: RunnerFacts,
): CallRunnerOptions {
  const { requestsMax, deadlineMs, onProviderError } = options;
  return {
    model: name,
    requestsMax,
    parallelMax,
    deadlineMs,
    breaker: new CircuitBreaker({ location }),
    onProviderError: (providerError) => onProviderError(name, providerError),
  };
}

function runnerOf<Runner>(runners: ReadonlyMap<string, Runner>, name: string): Runner {
  const runner = runners.get(name);
  if (runner === undefined)
    throw new Error(`unknown model ${name}: it does not come from this inference port`);
  return runner;
}
