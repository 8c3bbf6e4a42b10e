// DELETE /namespaces/{namespace}: deletes a namespace and its records.
import { fault } from '../../../domain/faults.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { writeReply } from '../records/freshness.ts';
import { refusePods } from '../records/index-kinds.ts';
import { Empty, NamespacePath } from '../records/schemas.ts';

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
  aliasRefusal: 'namespace-operation-on-alias',
  params: NamespacePath,
  success: { status: 200, description: 'Deleted.', schema: Empty },
  faults: [
    'namespace-targeted-by-alias',
    'namespace-operation-on-alias',
    'invalid-argument',
    'wrong-index-kind',
    'namespace-not-found',
    'storage-full',
  ],
  handle: async ({ namespaces, params, index, store }) => {
    refusePods(index, 'Deleting namespaces');
    const { stored } = namespaces.read(params.namespace);
    if (namespaces.isTarget(stored)) {
      throw fault('namespace-targeted-by-alias', { name: namespaceToShown(stored) });
    }
    return writeReply(index, await store.deleteNamespace(stored));
  },
};
