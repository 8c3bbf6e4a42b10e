// POST and GET /indexes/{index_name}/reembed: re-embeds an integrated index, and describes the progress.
import type { Reembedding } from '../../../domain/embedding/reembedding.ts';
import type { FaultName } from '../../../domain/faults.ts';
import type { ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

const STATES = ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'];

const ReembeddingObject = Type.Object(
  {
    index_name: Type.String(),
    state: Type.String({ enum: STATES }),
    percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
    records_remade: Type.Integer({ description: 'Records whose text was re-embedded.' }),
    records_kept: Type.Integer({ description: 'Records without a text, which keep their vectors.' }),
    error: Type.Optional(Type.String({ description: 'Why it failed or is being retried.' })),
    created_at: Type.String({ format: 'date-time' }),
    finished_at: Type.Optional(Type.String({ format: 'date-time' })),
  },
  {
    title: 'IndexReembedding',
    examples: [
      {
        index_name: 'notes',
        state: 'Running',
        percent_complete: 40,
        records_remade: 480,
        records_kept: 0,
        created_at: '2026-07-01T09:30:00.000Z',
      },
    ],
  },
);

function toWire(name: string, { state, percent, remade, kept, error, ...times }: Reembedding) {
  return {
    index_name: name,
    state,
    percent_complete: percent,
    records_remade: remade,
    records_kept: kept,
    ...(error === null ? {} : { error }),
    created_at: times.createdAt,
    ...(times.finishedAt === null ? {} : { finished_at: times.finishedAt }),
  };
}

const common = {
  path: '/indexes/{index_name}/reembed',
  tag: 'Indexes',
  since: '2026-07',
  errors: 'standard',
  params: IndexParams,
} as const satisfies Partial<EndpointDetails>;
const faults: readonly FaultName[] = ['index-not-found'];

export const reembedIndex: ControlEndpoint = {
  ...common,
  id: 'reembed_index',
  method: 'POST',
  summary: 'Re-embed an index',
  description:
    'For an index with integrated embedding, or a document index that embeds texts, whose model is now served by another provider or revision than the one its ' +
    'vectors are from. Continues in the background and after a restart; until it ends, texts are refused. Called ' +
    'again meanwhile, it returns the one in progress. An extension of this server, not part of the public API.',
  permission: 'control_plane::indexes::configure',
  success: {
    status: 202,
    description: 'The new re-embedding, or the one in progress.',
    schema: ReembeddingObject,
  },
  faults: [...faults, 'not-integrated', 'embedding-changed', 'wrong-index-kind'],
  handle: async (call) => {
    const name = indexName(call);
    return { status: 202, body: toWire(name, await call.services.reembeddings.start(call.access, name)) };
  },
};

export const describeReembedding: ControlEndpoint = {
  ...common,
  id: 'describe_reembedding',
  method: 'GET',
  summary: 'Describe the latest re-embedding of an index',
  permission: 'control_plane::indexes::describe',
  success: { status: 200, description: 'The re-embedding and its progress.', schema: ReembeddingObject },
  faults: [...faults, 'reembedding-not-found'],
  handle: async (call) => {
    const name = indexName(call);
    return { status: 200, body: toWire(name, await call.services.reembeddings.latest(call.access, name)) };
  },
};
