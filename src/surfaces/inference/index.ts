// The inference endpoints, in the order of the reference.
import { describeModel } from './describe-model.ts';
import { embed } from './embed.ts';
import type { InferenceEndpoint } from './inference-endpoint.ts';
import { listModels } from './list-models.ts';
import { rerank } from './rerank.ts';

export const inferenceEndpoints: readonly InferenceEndpoint[] = [embed, rerank, listModels, describeModel];
