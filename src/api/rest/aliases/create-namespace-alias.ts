// POST /namespace-aliases: creates an alias of a namespace.
import { checkAliasName, checkTarget } from '../../../domain/aliases/alias-model.ts';
import { Type } from '../../schema/type.ts';
import {
  ALIAS_ENDPOINT,
  type AliasEndpoint,
  AliasName,
  AliasObject,
  aliasBody,
  aliasBodyOf,
  requireAliasVersion,
  TargetNamespace,
} from './alias-endpoint.ts';

export const createNamespaceAlias: AliasEndpoint = {
  ...ALIAS_ENDPOINT,
  id: 'create_namespace_alias',
  method: 'POST',
  path: '/namespace-aliases',
  summary: 'Create a namespace alias',
  description:
    'Reads through an alias are served from its target; their answers name the target. Writes to an alias are refused.',
  permission: 'data_plane::namespaces::write',
  body: Type.Object(
    { name: AliasName, target_namespace: TargetNamespace },
    { title: 'CreateNamespaceAliasRequest' },
  ),
  success: { status: 200, description: 'Created. Every later read resolves it.', schema: AliasObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'alias-name-invalid',
    'alias-exists',
    'name-in-use-by-namespace',
    'name-is-target',
    'target-namespace-required',
    'target-namespace-too-long',
    'target-namespace-invalid',
    'target-namespace-not-found',
    'target-is-alias',
    'aliases-exhausted',
    'alias-version-too-old',
    'storage-full',
  ],
  handle: async ({ version, body, index, services }) => {
    requireAliasVersion(version);
    const request = aliasBody(body, ['name', 'target_namespace']);
    const name = checkAliasName(request.name);
    const alias = await services.aliases.create(index, name, checkTarget(request.target_namespace));
    return { status: 200, body: aliasBodyOf(alias) };
  },
};
