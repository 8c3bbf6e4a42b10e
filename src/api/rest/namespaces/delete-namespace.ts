// DELETE /namespaces/{namespace}: deletes a namespace and its records.
import type { DataEndpoint } from '../../endpoint.ts';
import { writeReply } from '../records/freshness.ts';
import { refusePods } from '../records/index-kinds.ts';
import { Empty, NamespacePath } from '../records/schemas.ts';
import { readNamespace } from './namespace-of.ts';

export const deleteNamespace: DataEndpoint = {
  id: 'delete_namespace',
  method: 'DELETE',
  path: '/namespaces/{namespace}',
  tag: 'Namespaces',
  summary: 'Delete a namespace',
  description: 'Irreversible.',
  since: '2025-04',
  permission: 'data_plane::namespaces::write',
  errors: 'rpc',
  queue: 'write',
  params: NamespacePath,
  success: { status: 200, description: 'Deleted.', schema: Empty },
  faults: ['invalid-argument', 'wrong-index-kind', 'namespace-not-found', 'storage-full'],
  handle: async ({ params, index, store }) => {
    refusePods(index, 'Deleting namespaces');
    return writeReply(index, await store.deleteNamespace(readNamespace(params.namespace).stored));
  },
};
