// The methods of the vector service, each with its data endpoint.
import type { MessageName } from './messages.ts';

export interface Rpc {
  readonly name: string;
  readonly request: MessageName;
  readonly response: MessageName;
  /** The id of the data endpoint. */
  readonly endpointId: string;
  /** Where that endpoint expects the fields of the request message. */
  readonly place: 'body' | 'query' | 'params';
}

/** All methods are unary. */
export const RPCS: readonly Rpc[] = [
  rpc('Upsert', 'upsert_vectors', 'body'),
  rpc('Delete', 'delete_vectors', 'body'),
  rpc('Fetch', 'fetch_vectors', 'query'),
  rpc('List', 'list_vectors', 'query'),
  rpc('Query', 'query_vectors', 'body'),
  rpc('Update', 'update_vectors', 'body'),
  rpc('DescribeIndexStats', 'describe_index_stats', 'body'),
  rpc('ListNamespaces', 'list_namespaces', 'query'),
  rpc('DescribeNamespace', 'describe_namespace', 'params', 'NamespaceDescription'),
  rpc('DeleteNamespace', 'delete_namespace', 'params', 'DeleteResponse'),
  rpc('CreateNamespace', 'create_namespace', 'body', 'NamespaceDescription'),
  rpc('FetchByMetadata', 'fetch_vectors_by_metadata', 'body'),
];

/** The service has no package, so paths begin with its name. */
export const SERVICE = 'VectorService';

export function rpcPath({ name }: Pick<Rpc, 'name'>): string {
  return `/${SERVICE}/${name}`;
}

type Requests = Extract<MessageName, `${string}Request`>;
type Named<Name extends MessageName> = Name extends `${infer Method}Request` ? Method : never;

function rpc<Name extends Named<Requests>>(
  name: Name,
  endpointId: string,
  place: Rpc['place'],
  response: MessageName = `${name}Response` as MessageName,
): Rpc {
  return { name, request: `${name}Request` as MessageName, response, endpointId, place };
}
