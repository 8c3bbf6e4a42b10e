// GET /indexes/{index_name}: describes an index.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { indexName, indexReply } from './index-reply.ts';
import { IndexObject, IndexParams } from './index-schemas.ts';

async function handle(call: ControlCall): Promise<Reply> {
  return indexReply(200, await call.services.indexes.describe(call.access, indexName(call)), call);
}

export const describeIndex: ControlEndpoint = {
  id: 'describe_index',
  method: 'GET',
  path: '/indexes/{index_name}',
  tag: 'Indexes',
  summary: 'Describe an index',
  since: '2024-04',
  permission: 'control_plane::indexes::describe',
  errors: 'standard',
  params: IndexParams,
  success: { status: 200, description: 'The index.', schema: IndexObject },
  faults: ['index-not-found'],
  handle,
};
