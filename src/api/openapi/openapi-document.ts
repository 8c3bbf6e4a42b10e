// Generates the OpenAPI 3.1 document of an API version from the definitions of the endpoints.
import { API_VERSIONS, type ApiVersion } from '../../domain/api-version.ts';
import { FAULTS, type FaultName } from '../../domain/faults.ts';
import type { EndpointDetails, ErrorFamily, Success } from '../endpoint.ts';
import type { TObject } from '../schema/type.ts';
import { ERROR_SCHEMAS } from './error-schemas.ts';
import {
  credentialsOf,
  type DescribedEndpoint,
  type EndpointSets,
  PLANES,
  type Plane,
  sharedFaults,
} from './planes.ts';

const JSON_TYPE = 'application/json';
const CONTROL_SERVER = { url: 'http://localhost:5080', description: 'The base address' };
const DATA_SERVER = {
  url: '{index_host}',
  description: 'The address of an index, from its `host` field',
  variables: { index_host: { default: 'http://localhost:5081' } },
};

const SECURITY_SCHEMES = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'Api-Key' },
  AccessToken: { type: 'http', scheme: 'bearer', description: 'From POST /oauth/token.' },
  SessionToken: { type: 'http', scheme: 'bearer', description: 'From POST /auth/login.' },
};

type Json = Readonly<Record<string, unknown>>;

/** Endpoints of the version, each plane in its own order. */
export function endpointsOf(version: ApiVersion, sets: EndpointSets): EndpointSets {
  const until = API_VERSIONS.indexOf(version);
  const has = ({ since }: EndpointDetails) => API_VERSIONS.indexOf(since) <= until;
  const { control, data, inference, assistant, admin, identity } = sets;
  return {
    control: control.filter(has),
    data: data.filter(has),
    inference: inference.filter(has),
    assistant: assistant.filter(has),
    admin: admin.filter(has),
    identity: identity.filter(has),
  };
}

/** All faults of an endpoint, ordered by status. */
export function faultsOf(endpoint: DescribedEndpoint, plane: Plane): readonly FaultName[] {
  const all = new Set([...sharedFaults(endpoint, plane), ...endpoint.faults]);
  return [...all].sort((a, b) => FAULTS[a].status - FAULTS[b].status);
}

/** The document, ready for JSON. */
export function openApiDocument(version: ApiVersion, sets: EndpointSets): Json {
  const shown = endpointsOf(version, sets);
  const items = PLANES.flatMap(({ plane }) => pathItems(shown[plane], plane));
  const tags = [...new Set(PLANES.flatMap(({ plane }) => shown[plane]).map(({ tag }) => tag))];
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
    paths: Object.fromEntries(items),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { ApiVersion: versionParameter(version) },
      schemas: ERROR_SCHEMAS,
    },
  };
}

function pathItems(
  endpoints: readonly DescribedEndpoint[],
  plane: Plane,
): readonly (readonly [path: string, item: Json])[] {
  const servers = plane === 'data' ? { servers: [DATA_SERVER] } : {};
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  return [...byPath].map(([path, group]) => {
    const operations = group.map((each) => [each.method.toLowerCase(), operation(each, plane)]);
    return [path, { ...servers, ...Object.fromEntries(operations) }];
  });
}

function operation(endpoint: DescribedEndpoint, plane: Plane): Json {
  const { id, tag, summary, description, success, versioning } = endpoint;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: credentialsOf(endpoint, plane).map((name) => ({ [name]: [] })),
    parameters: [
      ...(versioning === 'ignored' ? [] : [{ $ref: '#/components/parameters/ApiVersion' }]),
      ...pathParameters(endpoint),
      ...namedParameters('query', endpoint.query),
      ...namedParameters('header', endpoint.headers),
    ],
    ...requestBody(endpoint),
    responses: {
      [success.status]: { description: success.description, ...contentOf(success) },
      ...errorResponses(faultsOf(endpoint, plane), endpoint.errors),
    },
  };
}

function contentOf({ schema, mediaTypes = [JSON_TYPE] }: Success): Json {
  if (schema === undefined) return {};
  const [first, ...others] = mediaTypes;
  return { content: { [first]: { schema }, ...Object.fromEntries(others.map((type) => [type, {}])) } };
}

function requestBody({ body, forms, kind }: DescribedEndpoint): Json {
  if (body === undefined) return {};
  if (kind === 'upload') {
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: body } } } };
  }
  const form = forms === true ? { 'application/x-www-form-urlencoded': { schema: body } } : {};
  return { requestBody: { required: true, content: { ...jsonContent(body), ...form } } };
}

function pathParameters({ path, params }: EndpointDetails): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: params?.properties[name] ?? { type: 'string' },
  }));
}

function namedParameters(place: 'query' | 'header', values: TObject | undefined): readonly Json[] {
  if (values === undefined) return [];
  const required: readonly string[] = values.required ?? [];
  return Object.entries(values.properties).map(([name, schema]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema,
  }));
}

/** The faults of the authentication layer, before an endpoint runs. */
const DENIALS: ReadonlySet<FaultName> = new Set(['unauthenticated', 'permission-denied', 'access-forbidden']);

const SHAPES: Readonly<Record<ErrorFamily, readonly string[]>> = {
  standard: ['Error'],
  rpc: ['RpcError'],
  both: ['Error', 'RpcError'],
  identity: ['IdentityError'],
  oauth: ['OAuthError'],
  message: ['MessageError'],
};

function allOf(names: readonly string[]): Json {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return refs.length === 1 && refs[0] !== undefined ? refs[0] : { allOf: refs };
}

function errorResponses(faults: readonly FaultName[], family: ErrorFamily): Json {
  const byStatus = Map.groupBy(faults, (name) => FAULTS[name].status);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => {
      // The authentication layer has one error body, except in APIs that use their own for everything.
      const isOwn = family === 'identity' || family === 'oauth';
      const shapes = names.every((name) => DENIALS.has(name)) && !isOwn ? SHAPES.standard : SHAPES[family];
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
    description: 'Version of the API. `X-Pinecone-Api-Version` means the same.',
    schema: { type: 'string', default: version },
  };
}

function jsonContent(schema: unknown): Json {
  return { [JSON_TYPE]: { schema } };
}
