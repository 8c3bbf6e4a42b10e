// What the endpoints of namespace aliases have in common.
import { checkAliasName, type NamespaceAlias } from '../../../domain/aliases/alias-model.ts';
import { type ApiVersion, isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { ALIAS_NAME_CHARS_MAX } from '../../../domain/limits.ts';
import { namespaceToShown } from '../../../domain/records/record-id.ts';
import type { EndpointDetails, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import type { BulkCall, BulkServices } from '../import-export/bulk-endpoint.ts';
import { NamespaceName } from '../records/schemas.ts';

const SINCE: ApiVersion = '2026-07';

/** What an endpoint of aliases knows of a request, whether it came over REST or gRPC. */
export interface AliasCall extends Pick<BulkCall, 'version' | 'params' | 'query' | 'body' | 'index'> {
  readonly services: Pick<BulkServices, 'aliases'>;
}

export interface AliasEndpoint extends EndpointDetails {
  readonly handle: (call: AliasCall) => Promise<Reply>;
}

export const ALIAS_ENDPOINT = {
  tag: 'Namespace aliases',
  since: SINCE,
  errors: 'rpc',
} as const satisfies Partial<EndpointDetails>;

export const AliasName = Type.String({
  minLength: 1,
  maxLength: ALIAS_NAME_CHARS_MAX,
  description:
    'Printable ASCII without spaces and `/ ? # % & = \\ ; +`; not `.`, `..`, `__default__` or the name of a namespace.',
  examples: ['films-live'],
});

export const TargetNamespace = Type.String({
  ...NamespaceName,
  description: 'An existing namespace of the index, not an alias.',
});

const Time = Type.String({ format: 'date-time', examples: ['2026-09-01T12:00:00.000Z'] });

export const AliasObject = Type.Object(
  { name: AliasName, target_namespace: TargetNamespace, created_at: Time, updated_at: Time },
  { title: 'NamespaceAlias' },
);

export const AliasPath = Type.Object({ alias_name: AliasName });

/** @throws alias-version-too-old */
export function requireAliasVersion(version: RequestedVersion): void {
  if (!isAtLeast(version, SINCE)) throw fault('alias-version-too-old', { since: SINCE });
}

/** The name of the path, which may be no name at all. @throws alias-name-invalid */
export function aliasOfPath(params: Readonly<Record<string, string>>): string {
  return checkAliasName(params.alias_name);
}

/** @throws invalid-argument unless the body is an object without other keys */
export function aliasBody(body: unknown, keys: readonly string[]): JsonObject {
  if (!isJsonObject(body)) throw invalid('The request body must be a JSON object');
  const other = Object.keys(body).find((key) => !keys.includes(key));
  if (other !== undefined)
    throw invalid(`unexpected field '${other.slice(0, ALIAS_NAME_CHARS_MAX)}' in the body`);
  return body;
}

/** An alias as the interface shows it. */
export function aliasBodyOf({ name, target, createdAt, updatedAt }: NamespaceAlias) {
  return { name, target_namespace: namespaceToShown(target), created_at: createdAt, updated_at: updatedAt };
}
