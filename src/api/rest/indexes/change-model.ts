// Endpoints below /indexes/{index_name}/model-change: give an index another model while it answers.

import type { FaultName } from '../../../domain/faults.ts';
import { invalid } from '../../../domain/faults.ts';
import { namespaceToStored } from '../../../domain/records/record-id.ts';
import type { ControlCall, ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { deserialize } from './deserialize.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';
import {
  COMPARED_QUERIES_MAX,
  COMPARED_TOP_K,
  COMPARED_TOP_K_MAX,
  CompareModelsBody,
  comparisonToWire,
  ModelChangeObject,
  ModelComparisonObject,
  modelChangeToWire,
  StartModelChangeBody,
} from './model-change-schemas.ts';

const PATH = '/indexes/{index_name}/model-change';
const OURS = ' An extension of this server, not part of the public API.';

const common = {
  tag: 'Model changes',
  since: '2026-07',
  errors: 'standard',
  params: IndexParams,
} as const satisfies Partial<EndpointDetails>;
const faults: readonly FaultName[] = ['index-not-found', 'model-change-not-found'];
const status = (description: string, code = 200) => ({
  status: code,
  description,
  schema: ModelChangeObject,
});

export const startModelChange: ControlEndpoint = {
  ...common,
  id: 'start_model_change',
  method: 'POST',
  path: PATH,
  summary: 'Begin to change the model of an index',
  description:
    'Makes vectors by another model from the stored texts, in the background and after a restart. The present vectors ' +
    'answer all the while, and writes reach both. Called again for the same model after a failure, it goes on.' +
    OURS,
  permission: 'control_plane::indexes::configure',
  body: StartModelChangeBody,
  success: status('The change, which has begun.', 202),
  faults: [
    'index-not-found',
    'index-not-ready',
    'body-not-json',
    'body-not-deserializable',
    'invalid-argument',
    'not-integrated',
    'model-not-found',
    'wrong-index-kind',
    'model-change-exists',
    'model-change-refused',
  ],
  handle: async (call) => {
    const name = indexName(call);
    await call.services.indexes.describe(call.access, name);
    const body = deserialize(StartModelChangeBody, call);
    const started = await call.services.modelChanges.start(call.access, name, {
      model: body.model,
      dimension: body.dimension,
      writeParameters: body.write_parameters,
      readParameters: body.read_parameters,
    });
    return { status: 202, body: modelChangeToWire(name, started) };
  },
};

export const describeModelChange: ControlEndpoint = {
  ...common,
  id: 'describe_model_change',
  method: 'GET',
  path: PATH,
  summary: 'Describe the change of the model of an index',
  permission: 'control_plane::indexes::describe',
  success: status('The change and its progress.'),
  faults,
  handle: async (call) => {
    const name = indexName(call);
    const { modelChanges } = call.services;
    return { status: 200, body: modelChangeToWire(name, await modelChanges.describe(call.access, name)) };
  },
};

export const compareModels: ControlEndpoint = {
  ...common,
  id: 'compare_models',
  method: 'POST',
  path: `${PATH}/compare`,
  summary: 'Compare the present and the new vectors of an index',
  description:
    'Searches both by the same texts, each by its own model: by yours, or by the latest that the index was asked.' +
    OURS,
  permission: 'data_plane::vectors::read',
  body: CompareModelsBody,
  bodyOptional: true,
  success: { status: 200, description: 'What both find.', schema: ModelComparisonObject },
  faults: [
    ...faults,
    'body-not-deserializable',
    'invalid-argument',
    'model-change-not-ready',
    'namespace-not-found',
    'embedding-changed',
    'model-unavailable',
  ],
  handle: async (call) => {
    const name = indexName(call);
    const { modelChanges, indexes } = call.services;
    await indexes.describe(call.access, name);
    const comparison = await modelChanges.compare(call.access, name, readComparison(call));
    return { status: 200, body: comparisonToWire(name, comparison) };
  },
};

function readComparison(call: ControlCall) {
  if (call.body === undefined) return { topK: COMPARED_TOP_K };
  const { top_k: topK = COMPARED_TOP_K, queries } = deserialize(CompareModelsBody, call);
  if (topK < 1 || topK > COMPARED_TOP_K_MAX)
    throw invalid(`top_k must be 1 to ${COMPARED_TOP_K_MAX}, got ${topK}.`);
  if (queries !== undefined && (queries.length === 0 || queries.length > COMPARED_QUERIES_MAX))
    throw invalid(`queries must hold 1 to ${COMPARED_QUERIES_MAX} queries, got ${queries.length}.`);
  return {
    topK,
    queries: queries?.map(({ text, namespace, relevant_ids: relevantIds }, position) => {
      if (text.trim() === '') throw invalid(`queries[${position}].text must not be empty.`);
      return { text, namespace: namespaceToStored(namespace), relevantIds };
    }),
  };
}

function switching(
  which: 'new' | 'former',
  details: Pick<EndpointDetails, 'id' | 'path' | 'summary' | 'description'>,
): ControlEndpoint {
  return {
    ...common,
    ...details,
    method: 'POST',
    permission: 'control_plane::indexes::configure',
    success: status('The change, after the exchange.'),
    faults: [...faults, 'model-change-not-ready', 'index-not-ready'],
    handle: async (call) => {
      const name = indexName(call);
      const changed = await call.services.modelChanges.answerBy(call.access, name, which);
      return { status: 200, body: modelChangeToWire(name, changed) };
    },
  };
}

export const switchModel = switching('new', {
  id: 'switch_model',
  path: `${PATH}/switch`,
  summary: 'Let the new vectors of an index answer',
  description:
    'From its reply on, every read is served by the new vectors; reads that run meanwhile end as they began. Writes wait ' +
    'for some milliseconds. The former vectors follow every write from then on.' +
    OURS,
});

export const revertModel = switching('former', {
  id: 'revert_model',
  path: `${PATH}/revert`,
  summary: 'Let the former vectors of an index answer again',
  description: `As the switch, the other way round. No write is lost.${OURS}`,
});

export const endModelChange: ControlEndpoint = {
  ...common,
  id: 'end_model_change',
  method: 'DELETE',
  path: PATH,
  summary: 'End the change of the model of an index',
  description: `Removes the vectors that do not answer: the new ones before a switch, the former ones after it.${OURS}`,
  permission: 'control_plane::indexes::configure',
  success: { status: 202, description: 'Ended.' },
  faults: [...faults, 'model-change-not-ready'],
  handle: async (call) => {
    await call.services.modelChanges.end(call.access, indexName(call));
    return { status: 202 };
  },
};
