// POST and GET /indexes/{index_name}/reembed: makes the vectors of an integrated index anew, and says how far that is.
import type { Reembedding } from '../../../domain/embedding/reembedding.ts';
import type { FaultName } from '../../../domain/faults.ts';
import type { ControlEndpoint, EndpointDetails } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

const STATES = ['Pending', 'Running', 'Undoing', 'Completed', 'Failed', 'Cancelled'];

const ReembeddingObject = Type.Object({
  index_name: Type.String(),
  state: Type.String({ enum: STATES }),
  percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
  records_remade: Type.Integer({ description: 'Whose text was embedded again.' }),
  records_kept: Type.Integer({ description: 'Without a text: they keep their vectors.' }),
  error: Type.Optional(Type.String({ description: 'Why it failed, or is tried again.' })),
  created_at: Type.String(),
  finished_at: Type.Optional(Type.String()),
});

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
  summary: "Make an index's vectors anew",
  description:
    'For an index with integrated embedding, when its model is served by another provider or revision than the one its ' +
    'vectors are from. Goes on after the answer, and after a restart; until it is done, texts are refused. Asked for ' +
    'again meanwhile, it answers with what is under way. An endpoint of this server, not of the public service.',
  permission: 'control_plane::indexes::configure',
  success: { status: 202, description: 'Under way, or as it already was.', schema: ReembeddingObject },
  faults: [...faults, 'not-integrated', 'embedding-changed'],
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
  success: { status: 200, description: 'How far it is.', schema: ReembeddingObject },
  faults: [...faults, 'reembedding-not-found'],
  handle: async (call) => {
    const name = indexName(call);
    return { status: 200, body: toWire(name, await call.services.reembeddings.latest(call.access, name)) };
  },
};
