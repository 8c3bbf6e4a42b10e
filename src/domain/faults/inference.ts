// Conditions of models: embedding, reranking, re-embedding.
import { entry, type FaultEntry } from './entry.ts';

export const INFERENCE_FAULTS = {
  'unknown-model': entry(
    400,
    'INVALID_ARGUMENT',
    'No model of this name and kind is served here.',
    "Model '{name}' is not available. Supported {kind} models: {supported}.",
  ),
  'model-info-not-found': entry(
    404,
    'NOT_FOUND',
    'No model of this name is listed.',
    'Model {name} not found.',
  ),
  'model-unavailable': entry(
    503,
    'UNAVAILABLE',
    'The provider of a model is down, too slow, or answers nonsense. Nothing of the request was stored.',
    'Model {model} cannot answer now: {reason}. Retry later.',
  ),
  'reembedding-not-found': entry(
    404,
    'NOT_FOUND',
    'The vectors of the index were never asked to be made anew.',
    'No re-embedding of index {index} found.',
  ),
} as const satisfies Record<string, FaultEntry>;
