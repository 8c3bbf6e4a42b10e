// Conditions of models: embedding, reranking, re-embedding.
import { entry, type FaultEntry } from './entry.ts';

export const INFERENCE_FAULTS = {
  'unknown-model': entry(
    400,
    'INVALID_ARGUMENT',
    'The server has no model of this name and kind.',
    "Model '{name}' is not available. Supported {kind} models: {supported}.",
  ),
  'model-info-not-found': entry(
    404,
    'NOT_FOUND',
    'The server lists no model of this name.',
    'Model {name} not found.',
  ),
  'model-unavailable': entry(
    503,
    'UNAVAILABLE',
    'The provider of a model is down, too slow, or sends invalid responses. Nothing of the request was stored.',
    'Model {model} cannot answer now: {reason}. Retry later.',
  ),
  'undo-not-found': entry(
    404,
    'NOT_FOUND',
    'An undo of the index was never requested.',
    'No undo of index {index} found.',
  ),
  'merge-not-found': entry(
    404,
    'NOT_FOUND',
    'A merge of the branch was never requested.',
    'No merge of branch {branch} found.',
  ),
  'reembedding-not-found': entry(
    404,
    'NOT_FOUND',
    'A re-embedding of the index was never requested.',
    'No re-embedding of index {index} found.',
  ),
  'model-change-not-found': entry(
    404,
    'NOT_FOUND',
    'The model of the index is not being changed.',
    'No change of the model of index {index} found.',
  ),
  'model-change-exists': entry(
    409,
    'ALREADY_EXISTS',
    'The model of the index is being changed already.',
    'The model of index {index} is being changed already. End that change first.',
  ),
  'model-change-under-way': entry(
    412,
    'FAILED_PRECONDITION',
    'The text field cannot change while the model of the index is being changed.',
    'The text field of index {index} cannot change while its model is being changed. End that change first: pinyon model-change end {index}',
  ),
  'model-change-refused': entry(
    412,
    'FAILED_PRECONDITION',
    'The model of the index cannot be changed at present.',
    'The model of index {index} cannot be changed now: {reason}.',
  ),
  'model-change-not-ready': entry(
    412,
    'FAILED_PRECONDITION',
    'The other vectors of the index cannot answer, be compared, or be removed, yet.',
    'The other vectors of index {index} are not ready: {reason}.',
  ),
} as const satisfies Record<string, FaultEntry>;
