// All endpoints of namespace aliases.
import type { AliasEndpoint } from './alias-endpoint.ts';
import { createNamespaceAlias } from './create-namespace-alias.ts';
import { deleteNamespaceAlias } from './delete-namespace-alias.ts';
import { describeNamespaceAlias } from './describe-namespace-alias.ts';
import { listNamespaceAliases } from './list-namespace-aliases.ts';
import { repointNamespaceAlias } from './repoint-namespace-alias.ts';

export const aliasEndpoints: readonly AliasEndpoint[] = [
  createNamespaceAlias,
  listNamespaceAliases,
  describeNamespaceAlias,
  repointNamespaceAlias,
  deleteNamespaceAlias,
];
