// GET /namespace-aliases/{alias_name}: one alias.
import {
  ALIAS_ENDPOINT,
  type AliasEndpoint,
  AliasObject,
  AliasPath,
  aliasBodyOf,
  aliasOfPath,
  requireAliasVersion,
} from './alias-endpoint.ts';

export const describeNamespaceAlias: AliasEndpoint = {
  ...ALIAS_ENDPOINT,
  id: 'describe_namespace_alias',
  method: 'GET',
  path: '/namespace-aliases/{alias_name}',
  summary: 'Describe a namespace alias',
  permission: 'data_plane::namespaces::read',
  params: AliasPath,
  success: { status: 200, description: 'The alias.', schema: AliasObject },
  faults: ['alias-name-invalid', 'alias-not-found', 'alias-version-too-old'],
  handle: async ({ version, params, index, services }) => {
    requireAliasVersion(version);
    return { status: 200, body: aliasBodyOf(services.aliases.describe(index.id, aliasOfPath(params))) };
  },
};
