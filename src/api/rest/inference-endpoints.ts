// The inference endpoints, in the order of the reference.
import { describeModel } from './inference/describe-model.ts';
import { embed } from './inference/embed.ts';
import type { InferenceEndpoint } from './inference/inference-endpoint.ts';
import { listModels } from './inference/list-models.ts';
import { rerank } from './inference/rerank.ts';

export const inferenceEndpoints: readonly InferenceEndpoint[] = [embed, rerank, listModels, describeModel];
