// The methods of the gRPC services, each with the endpoint of the REST interface that it calls.
import type { MessageName } from './messages.ts';

export type ServiceName = 'VectorService' | 'NamespaceAliasService';

export interface Rpc {
  readonly service: ServiceName;
  /** Unique among all services. */
  readonly name: string;
  readonly request: MessageName;
  readonly response: MessageName;
  readonly endpointId: string;
  /** Where that endpoint expects the fields of the request message. */
  readonly place: 'body' | 'query';
  /** The field that is part of the endpoint's path instead, by its name in the definition. */
  readonly param?: string;
}

const ALIAS_SERVICE = 'NamespaceAliasService';

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
    place: 'query',
    param: 'namespace',
  },
  {
    ...answering('DeleteNamespace', 'DeleteResponse'),
    endpointId: 'delete_namespace',
    place: 'query',
    param: 'namespace',
  },
  { ...answering('CreateNamespace', 'NamespaceDescription'), endpointId: 'create_namespace', place: 'body' },
  rpc('FetchByMetadata', 'fetch_vectors_by_metadata', 'body'),
  { ...describing('CreateNamespaceAlias'), endpointId: 'create_namespace_alias', place: 'body' },
  { ...rpc('ListNamespaceAliases', 'list_namespace_aliases', 'query'), service: ALIAS_SERVICE },
  {
    ...describing('DescribeNamespaceAlias'),
    endpointId: 'describe_namespace_alias',
    place: 'query',
    param: 'alias_name',
  },
  {
    ...describing('RepointNamespaceAlias'),
    endpointId: 'repoint_namespace_alias',
    place: 'body',
    param: 'alias_name',
  },
  {
    ...rpc('DeleteNamespaceAlias', 'delete_namespace_alias', 'query'),
    service: ALIAS_SERVICE,
    param: 'alias_name',
  },
];

/** The services have no package, so paths begin with their names. */
export function rpcPath({ service, name }: Pick<Rpc, 'service' | 'name'>): string {
  return `/${service}/${name}`;
}

/** The methods that have a message of this suffix. */
type Named<Suffix extends string> = MessageName extends infer Name
  ? Name extends `${infer Method}${Suffix}`
    ? Method
    : never
  : never;

/** A method of the vector service with messages of its own for both directions. */
function rpc<Name extends Named<'Request'> & Named<'Response'>>(
  name: Name,
  endpointId: string,
  place: Rpc['place'],
): Rpc {
  return { ...answering(name, `${name}Response`), endpointId, place };
}

/** A method whose response is an alias. */
function describing<Name extends Named<'Request'>>(name: Name): Head {
  return { ...answering(name, 'NamespaceAliasDescription'), service: ALIAS_SERVICE };
}

type Head = Pick<Rpc, 'service' | 'name' | 'request' | 'response'>;

/** A method of the vector service whose response is a message that others use as well. */
function answering<Name extends Named<'Request'>>(name: Name, response: MessageName): Head {
  return { service: 'VectorService', name, request: `${name}Request`, response };
}
