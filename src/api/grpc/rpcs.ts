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
  {
    ...answering('DescribeNamespace', 'NamespaceDescription'),
    endpointId: 'describe_namespace',
    place: 'params',
  },
  { ...answering('DeleteNamespace', 'DeleteResponse'), endpointId: 'delete_namespace', place: 'params' },
  { ...answering('CreateNamespace', 'NamespaceDescription'), endpointId: 'create_namespace', place: 'body' },
  rpc('FetchByMetadata', 'fetch_vectors_by_metadata', 'body'),
];

/** The service has no package, so paths begin with its name. */
export const SERVICE = 'VectorService';

export function rpcPath({ name }: Pick<Rpc, 'name'>): string {
  return `/${SERVICE}/${name}`;
}

/** The methods that have a message of this suffix. */
type Named<Suffix extends string> = MessageName extends infer Name
  ? Name extends `${infer Method}${Suffix}`
    ? Method
    : never
  : never;

/** A method with messages of its own for both directions. */
function rpc<Name extends Named<'Request'> & Named<'Response'>>(
  name: Name,
  endpointId: string,
  place: Rpc['place'],
): Rpc {
  return { ...answering(name, `${name}Response`), endpointId, place };
}

/** A method whose response is a message that others use as well. */
function answering<Name extends Named<'Request'>>(
  name: Name,
  response: MessageName,
): Pick<Rpc, 'name' | 'request' | 'response'> {
  return { name, request: `${name}Request`, response };
}
