// DELETE /namespace-aliases/{alias_name}: deletes an alias, never its target.
import { Empty } from '../records/schemas.ts';
import {
  ALIAS_ENDPOINT,
  type AliasEndpoint,
  AliasPath,
  aliasOfPath,
  requireAliasVersion,
} from './alias-endpoint.ts';

export const deleteNamespaceAlias: AliasEndpoint = {
  ...ALIAS_ENDPOINT,
  id: 'delete_namespace_alias',
  method: 'DELETE',
  path: '/namespace-aliases/{alias_name}',
  summary: 'Delete a namespace alias',
  description: 'Its target stays. Later reads of the name find an empty namespace.',
  permission: 'data_plane::namespaces::write',
  params: AliasPath,
  success: { status: 200, description: 'Deleted.', schema: Empty },
  faults: ['alias-name-invalid', 'alias-not-found', 'alias-version-too-old', 'storage-full'],
  handle: async ({ version, params, index, services }) => {
    requireAliasVersion(version);
    await services.aliases.delete(index, aliasOfPath(params));
    return { status: 200, body: {} };
  },
};
