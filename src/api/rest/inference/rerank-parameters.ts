// The parameters of a reranker in rerank requests and searches.
import type { JsonObject } from '../../../domain/json.ts';
import { parametersOf } from './request-parts.ts';

/** Ignores the input type that examples of older clients send to rerankers. @throws invalid-argument */
export function rerankParametersOf(request: JsonObject): JsonObject {
  const { input_type: _, ...parameters } = parametersOf(request);
  return parameters;
}
