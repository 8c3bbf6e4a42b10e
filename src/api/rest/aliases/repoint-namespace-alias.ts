// PATCH /namespace-aliases/{alias_name}: changes the target of an alias.
import { checkTarget } from '../../../domain/aliases/alias-model.ts';
import { Type } from '../../schema/type.ts';
import {
  ALIAS_ENDPOINT,
  type AliasEndpoint,
  AliasObject,
  AliasPath,
  aliasBody,
  aliasBodyOf,
  aliasOfPath,
  requireAliasVersion,
  TargetNamespace,
} from './alias-endpoint.ts';

export const repointNamespaceAlias: AliasEndpoint = {
  ...ALIAS_ENDPOINT,
  id: 'repoint_namespace_alias',
  method: 'PATCH',
  path: '/namespace-aliases/{alias_name}',
  summary: 'Repoint a namespace alias',
  description:
    'Atomic: the alias keeps its target when the change is refused, and every read that begins after the answer uses ' +
    'the new target. Safe to repeat.',
  permission: 'data_plane::namespaces::write',
  params: AliasPath,
  body: Type.Object({ target_namespace: TargetNamespace }, { title: 'RepointNamespaceAliasRequest' }),
  success: { status: 200, description: 'Repointed.', schema: AliasObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'alias-name-invalid',
    'alias-not-found',
    'target-namespace-required',
    'target-namespace-too-long',
    'target-namespace-invalid',
    'target-namespace-not-found',
    'target-is-alias',
    'alias-version-too-old',
    'storage-full',
  ],
  handle: async ({ version, params, body, index, services }) => {
    requireAliasVersion(version);
    const { target_namespace: target } = aliasBody(body, ['target_namespace']);
    const alias = await services.aliases.repoint(index, aliasOfPath(params), checkTarget(target));
    return { status: 200, body: aliasBodyOf(alias) };
  },
};
