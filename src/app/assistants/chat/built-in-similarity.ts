// How well a text answers a question, told by the built-in encoder: the built-in answerer's bounds are set for its scores.
import { scorerOf } from '../../../inference/builtin/encoders.ts';
import type { Similarity } from './answer-model.ts';

export const builtInSimilarity: Similarity = scorerOf;
