// Makes the OpenAPI 3.1 document of an API version from the facts of the endpoints.
import { API_VERSIONS, type ApiVersion } from '../../domain/api-version.ts';
import { FAULTS, type FaultName } from '../../domain/faults.ts';
import type { EndpointFacts, ErrorFamily } from '../../surfaces/endpoint.ts';
import { ERROR_SCHEMAS } from './error-schemas.ts';

export interface EndpointSets {
  readonly control: readonly EndpointFacts[];
  readonly data: readonly EndpointFacts[];
}

/** Conditions that every endpoint has, beside its own. */
const COMMON_FAULTS: readonly FaultName[] = [
  'unsupported-version',
  'missing-version',
  'unauthenticated',
  'overloaded',
  'internal',
  'shutting-down',
];
const BODY_FAULTS: readonly FaultName[] = ['body-not-json', 'unsupported-encoding', 'payload-too-large'];
const CONTROL_BODY_FAULTS: readonly FaultName[] = ['unsupported-media-type'];
const DATA_FAULTS: readonly FaultName[] = ['unknown-host', 'index-not-ready'];

const CONTROL_SERVER = { url: 'http://localhost:5080', description: 'The base address' };
const DATA_SERVER = {
  url: '{index_host}',
  description: 'The address of an index, as the `host` field of the index says',
  variables: { index_host: { default: 'http://localhost:5081' } },
};

type Json = Readonly<Record<string, unknown>>;
type Plane = keyof EndpointSets;

/** Endpoints of the version, control plane first, each plane in its own order. */
export function endpointsOf(version: ApiVersion, sets: EndpointSets): EndpointSets {
  const until = API_VERSIONS.indexOf(version);
  const has = ({ since }: EndpointFacts) => API_VERSIONS.indexOf(since) <= until;
  return { control: sets.control.filter(has), data: sets.data.filter(has) };
}

/** All conditions an endpoint can answer with, in order of their status. */
export function faultsOf(endpoint: EndpointFacts, plane: Plane): readonly FaultName[] {
  const body = endpoint.body === undefined ? [] : BODY_FAULTS;
  const ofPlane = plane === 'data' ? DATA_FAULTS : endpoint.body === undefined ? [] : CONTROL_BODY_FAULTS;
  const all = new Set([...COMMON_FAULTS, ...body, ...ofPlane, ...endpoint.faults]);
  return [...all].sort((a, b) => FAULTS[a].status - FAULTS[b].status);
}

/** JSON-ready document. */
export function openApiDocument(version: ApiVersion, sets: EndpointSets): Json {
  const { control, data } = endpointsOf(version, sets);
  const paths = {
    ...pathItems(control, 'control'),
    ...pathItems(data, 'data'),
  };
  const tags = [...new Set([...control, ...data].map(({ tag }) => tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pinyon',
      version,
      description: 'Vector database service with the REST interface of Pinecone.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [CONTROL_SERVER],
    tags: tags.map((name) => ({ name })),
    security: [{ ApiKey: [] }],
    paths,
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'Api-Key' } },
      parameters: { ApiVersion: versionParameter(version) },
      schemas: ERROR_SCHEMAS,
    },
  };
}

function pathItems(endpoints: readonly EndpointFacts[], plane: Plane): Json {
  const servers = plane === 'data' ? { servers: [DATA_SERVER] } : {};
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  return Object.fromEntries(
    [...byPath].map(([path, group]) => {
      const operations = group.map((each) => [each.method.toLowerCase(), operation(each, plane)]);
      return [path, { ...servers, ...Object.fromEntries(operations) }];
    }),
  );
}

function operation(endpoint: EndpointFacts, plane: Plane): Json {
  const { id, tag, summary, description, body, success } = endpoint;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    parameters: [
      { $ref: '#/components/parameters/ApiVersion' },
      ...pathParameters(endpoint),
      ...queryParameters(endpoint),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body) } }),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.schema === undefined ? {} : { content: jsonContent(success.schema) }),
      },
      ...errorResponses(faultsOf(endpoint, plane), endpoint.errors),
    },
  };
}

function pathParameters({ path, params }: EndpointFacts): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: params?.properties[name] ?? { type: 'string' },
  }));
}

function queryParameters({ query }: EndpointFacts): readonly Json[] {
  if (query === undefined) return [];
  const required: readonly string[] = query.required ?? [];
  return Object.entries(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

const SHAPES: Readonly<Record<ErrorFamily, readonly string[]>> = {
  standard: ['Error'],
  rpc: ['RpcError'],
  both: ['Error', 'RpcError'],
};

function allOf(names: readonly string[]): Json {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return refs.length === 1 && refs[0] !== undefined ? refs[0] : { allOf: refs };
}

function errorResponses(faults: readonly FaultName[], family: ErrorFamily): Json {
  const byStatus = Map.groupBy(faults, (name) => FAULTS[name].status);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => {
      // The authentication layer knows one shape only.
      const shapes = status === 401 ? SHAPES.standard : SHAPES[family];
      const description = names.map((name) => `- \`${name}\`: ${FAULTS[name].when}`).join('\n');
      return [status, { description, content: jsonContent(allOf(shapes)) }];
    }),
  );
}

function versionParameter(version: ApiVersion): Json {
  return {
    name: 'X-Service-Api-Version',
    in: 'header',
    required: false,
    description: 'Version of the interface. `X-Pinecone-Api-Version` means the same.',
    schema: { type: 'string', default: version },
  };
}

function jsonContent(schema: unknown): Json {
  return { 'application/json': { schema } };
}
