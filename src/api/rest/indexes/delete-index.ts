// DELETE /indexes/{index_name}: accepts the deletion, which continues in the background.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { indexName } from './index-reply.ts';
import { IndexParams } from './index-schemas.ts';

async function handle(call: ControlCall): Promise<Reply> {
  await call.services.indexes.remove(call.access, indexName(call));
  return { status: 202 };
}

export const deleteIndex: ControlEndpoint = {
  id: 'delete_index',
  method: 'DELETE',
  path: '/indexes/{index_name}',
  tag: 'Indexes',
  summary: 'Delete an index',
  description:
    'The index is Terminating, and its name in use, until all its records are deleted. Its backups and collections stay; its backup schedules are deleted.',
  since: '2024-04',
  permission: 'control_plane::indexes::delete',
  errors: 'standard',
  params: IndexParams,
  success: { status: 202, description: 'The deletion has started.' },
  faults: ['index-not-found', 'deletion-protected', 'pending-collections'],
  handle,
};
