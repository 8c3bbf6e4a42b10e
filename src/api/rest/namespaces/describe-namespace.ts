// GET /namespaces/{namespace}: one namespace.
import { fault } from '../../../domain/faults.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { refusePods } from '../records/index-kinds.ts';
import { NamespaceObject, NamespacePath } from '../records/schemas.ts';
import { namespaceObject } from './namespace-object.ts';

export const describeNamespace: DataEndpoint = {
  id: 'describe_namespace',
  method: 'GET',
  path: '/namespaces/{namespace}',
  tag: 'Namespaces',
  summary: 'Describe a namespace',
  since: '2025-04',
  permission: 'data_plane::namespaces::read',
  errors: 'rpc',
  queue: 'read',
  aliasRefusal: 'namespace-operation-on-alias',
  params: NamespacePath,
  success: { status: 200, description: 'The namespace.', schema: NamespaceObject },
  faults: ['namespace-operation-on-alias', 'invalid-argument', 'wrong-index-kind', 'namespace-not-found'],
  handle: async ({ namespaces, params, index, store, version }) => {
    refusePods(index, 'Describing namespaces');
    const name = namespaces.read(params.namespace).stored;
    const summary = await store.describeNamespace(name);
    if (summary === null) throw fault('namespace-not-found');
    return { status: 200, body: namespaceObject(summary, await store.indexedFields(name), version) };
  },
};
