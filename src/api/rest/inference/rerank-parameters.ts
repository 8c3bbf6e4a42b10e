// The parameters of a reranker, as rerank requests and searches give them.
import type { JsonObject } from '../../../domain/records/vector-record.ts';
import { parametersOf } from './request-parts.ts';

/** Examples of older clients send rerankers an input type, which says nothing to them. @throws invalid-argument */
export function rerankParametersOf(request: JsonObject): JsonObject {
  const { input_type: _, ...parameters } = parametersOf(request);
  return parameters;
}
