// Generates the OpenAPI 3.1 document of an API version from the definitions of the endpoints.
import {
  API_VERSIONS,
  type ApiVersion,
  NEWEST_API_VERSION,
  UNNAMED_API_VERSION,
} from '../../domain/api-version.ts';
import type { EndpointDetails } from '../endpoint.ts';
import { AS_OF_HEADER } from '../rest/records/as-of.ts';
import { Components } from './components.ts';
import { OperationWriter } from './operation.ts';
import { type DescribedEndpoint, type EndpointSets, PLANES, type Plane } from './planes.ts';
import { HEADER_COMPONENTS } from './response-headers.ts';
import { TAGS } from './tags.ts';

/** Where the server is reached. */
export interface ServerAddresses {
  /** The base address. */
  readonly base: string;
  /** An example of the address of an index. */
  readonly index: string;
}

/** The addresses of a server with its default settings. */
export const DEFAULT_ADDRESSES: ServerAddresses = {
  base: 'http://localhost:5080',
  index: 'http://localhost:5081',
};

const SECURITY_SCHEMES = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'Api-Key', description: 'The key of a project.' },
  BearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, as Prometheus and clients of OpenAI send it.',
  },
  AccessToken: { type: 'http', scheme: 'bearer', description: 'From POST /oauth/token.' },
  SessionToken: { type: 'http', scheme: 'bearer', description: 'From POST /auth/login.' },
  ConsoleSession: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Pinyon-Session',
    description: 'From POST /console/session, with its cookie.',
  },
};

type Json = Readonly<Record<string, unknown>>;

/** Endpoints of the version, each plane in its own order. */
export function endpointsOf(version: ApiVersion, sets: EndpointSets): EndpointSets {
  const until = API_VERSIONS.indexOf(version);
  const has = ({ since }: EndpointDetails) => API_VERSIONS.indexOf(since) <= until;
  const { control, data, inference, assistant, openai, admin, identity, console } = sets;
  return {
    control: control.filter(has),
    data: data.filter(has),
    inference: inference.filter(has),
    assistant: assistant.filter(has),
    openai: openai.filter(has),
    admin: admin.filter(has),
    identity: identity.filter(has),
    console: console.filter(has),
  };
}

/** The document, ready for JSON. */
export function openApiDocument(
  version: ApiVersion,
  sets: EndpointSets,
  addresses: ServerAddresses = DEFAULT_ADDRESSES,
): Json {
  const shown = endpointsOf(version, sets);
  const components = new Components();
  const writer = new OperationWriter(version, components);
  const servers = { data: { servers: [indexServer(addresses)] } };
  const items = PLANES.flatMap(({ plane }) =>
    pathItems(shown[plane], plane, writer).map(([path, item]) => [
      path,
      plane === 'data' ? { ...servers.data, ...item } : item,
    ]),
  );
  const tags = [...new Set(PLANES.flatMap(({ plane }) => shown[plane]).map(({ tag }) => tag))];
  const paths = Object.fromEntries(items);
  const text = JSON.stringify(paths);
  const schemes = usedOf(SECURITY_SCHEMES, (name) => text.includes(`{"${name}":[]}`));
  const parameters = usedOf({ ...versionParameters(version), AsOf: AS_OF_PARAMETER }, (name) =>
    text.includes(`#/components/parameters/${name}"`),
  );
  const headers = usedOf(HEADER_COMPONENTS, (name) => text.includes(`#/components/headers/${name}"`));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pinyon',
      version,
      description: 'Vector database service with the REST interface of Pinecone.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: addresses.base, description: 'The base address' }],
    tags: tags.map((name) => ({ name, ...(TAGS[name] !== undefined && { description: TAGS[name] }) })),
    security: [{ ApiKey: [] }],
    paths,
    components: {
      securitySchemes: schemes,
      parameters,
      headers,
      schemas: components.schemas(),
    },
  };
}

/** The parts that the paths of this version refer to. */
function usedOf(parts: Json, isUsed: (name: string) => boolean): Json {
  return Object.fromEntries(Object.entries(parts).filter(([name]) => isUsed(name)));
}

function indexServer({ index }: ServerAddresses): Json {
  return {
    url: '{index_host}',
    description: 'The address of an index, from its `host` field',
    variables: { index_host: { default: index } },
  };
}

function pathItems(
  endpoints: readonly DescribedEndpoint[],
  plane: Plane,
  writer: OperationWriter,
): readonly (readonly [path: string, item: Json])[] {
  const byPath = Map.groupBy(endpoints, ({ path }) => path);
  return [...byPath].map(([path, group]) => {
    const operations = group.map((each) => [each.method.toLowerCase(), writer.operation(each, plane)]);
    return [path, Object.fromEntries(operations)];
  });
}

/** Of every endpoint that reads records. */
const AS_OF_PARAMETER: Json = {
  name: AS_OF_HEADER,
  in: 'header',
  required: false,
  description:
    'Reads the index as it was: after the write with this LSN, or at this moment, such as `2026-07-01T09:30:00Z`. ' +
    'The history of the index must reach back to it. An extension of this server.',
  schema: { type: 'string' },
};

/** The header, as most operations take it and as those of the identity do. */
function versionParameters(version: ApiVersion): Json {
  const parameter = (unnamed: string): Json => ({
    name: 'X-Service-Api-Version',
    in: 'header',
    required: false,
    description: `Version of the API. \`X-Pinecone-Api-Version\` means the same. Without it, responses are those of ${unnamed}.`,
    // No default: this document's version is not what a request without the header gets.
    schema: { type: 'string' },
    example: version,
  });
  const usual = `${UNNAMED_API_VERSION}, or of the first version that has the operation; an index has the keys of all versions`;
  return { ApiVersion: parameter(usual), IdentityApiVersion: parameter(NEWEST_API_VERSION) };
}
