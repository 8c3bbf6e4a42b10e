// Endpoints below /indexes/{index_name}/recall: the recall that searches of an index promise.
import { RECALL_PROMISE_MIN, RECALL_TARGET_MAX } from '../../../domain/limits.ts';
import type { RecallReport } from '../../../domain/recall-promise.ts';
import type { ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { deserialize } from './deserialize.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

const PATH = '/indexes/{index_name}/recall';
const OURS = ' An extension of this server, not part of the public API.';

const RecallBody = Type.Object(
  {
    recall: Type.Number({
      minimum: RECALL_PROMISE_MIN,
      maximum: RECALL_TARGET_MAX,
      description:
        'The share of the true best among the results of searches that name no recall of their own.',
      examples: [0.99],
    }),
  },
  { additionalProperties: false, title: 'RecallRequest', examples: [{ recall: 0.99 }] },
);

const Share = Type.Number({ minimum: 0, maximum: 1 });
const Audited = Type.Object(
  {
    recall: Type.Number({ minimum: 0, maximum: 1, examples: [0.996] }),
    low: Type.Number({ minimum: 0, maximum: 1, examples: [0.993] }),
    high: Type.Number({ minimum: 0, maximum: 1, examples: [0.998] }),
    confidence: Type.Number({ examples: [0.95], description: 'Of the interval from low to high.' }),
  },
  { title: 'AuditedRecall' },
);

const RecallObject = Type.Object(
  {
    recall: Type.Union([Share, Type.Null()], {
      description: 'Null where the index promises no more than usual.',
      examples: [0.99],
    }),
    audited: Type.Union([Audited, Type.Null()], {
      description:
        'What audits of searches with this promise have shown lately, since the start of the server; null where there ' +
        'were too few, as where searches are exact.',
      examples: [{ recall: 0.996, low: 0.993, high: 0.998, confidence: 0.95 }],
    }),
    state: Type.Union([Type.String({ enum: ['held', 'broken', 'undecided'] }), Type.Null()], {
      description:
        '`held` when the whole interval keeps the promise, `broken` when none of it does, else `undecided`. Null ' +
        'without a promise.',
      examples: ['held'],
    }),
  },
  { title: 'Recall' },
);

const CONFIDENCE = 0.95;

const common = {
  tag: 'Recall',
  since: '2026-07',
  errors: 'standard',
  params: IndexParams,
  path: PATH,
} as const satisfies Partial<EndpointDetails>;

export const describeRecall: ControlEndpoint = {
  ...common,
  id: 'describe_recall',
  method: 'GET',
  summary: 'Describe the recall that an index promises, and what audits have shown',
  description: OURS.trim(),
  permission: 'control_plane::indexes::describe',
  success: { status: 200, description: 'The promise and its audits.', schema: RecallObject },
  faults: ['index-not-found'],
  handle: async (call) => ({
    status: 200,
    body: reportToWire(await call.services.recallPromises.describe(call.access, indexName(call))),
  }),
};

export const setRecall: ControlEndpoint = {
  ...common,
  id: 'set_recall',
  method: 'PUT',
  summary: 'Promise a recall to the searches of an index',
  description:
    'Searches of dense vectors take the effort that the promise needs, and more where audits show that it is not kept. ' +
    'A search may name another recall by itself.' +
    OURS,
  permission: 'control_plane::indexes::configure',
  body: RecallBody,
  success: { status: 200, description: 'The promise and its audits.', schema: RecallObject },
  faults: [
    'index-not-found',
    'index-not-ready',
    'body-not-json',
    'body-not-deserializable',
    'invalid-argument',
  ],
  handle: async (call) => {
    const { recallPromises, indexes } = call.services;
    const name = indexName(call);
    await indexes.describe(call.access, name);
    const { recall } = deserialize(RecallBody, call);
    return { status: 200, body: reportToWire(await recallPromises.set(call.access, name, recall)) };
  },
};

export const endRecall: ControlEndpoint = {
  ...common,
  id: 'end_recall',
  method: 'DELETE',
  summary: 'Promise the usual recall again',
  description: OURS.trim(),
  permission: 'control_plane::indexes::configure',
  success: { status: 202, description: 'Ended.' },
  faults: ['index-not-found', 'index-not-ready'],
  handle: async (call) => {
    await call.services.recallPromises.end(call.access, indexName(call));
    return { status: 202 };
  },
};

function reportToWire({ promised, audited, state }: RecallReport): object {
  const { share, ...bounds } = audited ?? { share: null };
  return {
    recall: promised,
    audited: share === null ? null : { recall: share, ...bounds, confidence: CONFIDENCE },
    state,
  };
}
