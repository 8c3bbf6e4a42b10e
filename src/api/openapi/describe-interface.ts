// The route of the OpenAPI document, which is public.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { API_VERSIONS, type ApiVersion, NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { fault } from '../../domain/faults.ts';
import { membersOf } from '../../domain/json.ts';
import { HEADER_QUOTED_CHARS_MAX, quoted } from '../../domain/quoted.ts';
import { openApiDocument, type ServerAddresses } from './openapi-document.ts';
import type { EndpointSets } from './planes.ts';

/** Stand for the addresses of a request in remembered documents; no description can contain them. */
const PLACES: ServerAddresses = { base: '\0base', index: '\0index' };

/** Where indexes are served: below a domain, or on ports of their own from the first one on. */
export interface IndexPlaces {
  readonly publicDomain: string | null;
  readonly indexPorts: { readonly first: number };
}

export function describeInterface(app: FastifyInstance, sets: EndpointSets, places: IndexPlaces): void {
  const documents = remember((version) => JSON.stringify(openApiDocument(version, sets, PLACES)));
  app.get('/openapi.json', { config: { open: true } }, (request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .send(withAddresses(documents(requestedVersion(request.query)), addressesOf(request, places))),
  );
}

/** The document with the addresses at which its reader reaches the server. */
function withAddresses(text: string, { base, index }: ServerAddresses): string {
  return text
    .replaceAll(JSON.stringify(PLACES.base), () => JSON.stringify(base))
    .replaceAll(JSON.stringify(PLACES.index), () => JSON.stringify(index));
}

/** The host name of the request evidently reaches this server. */
function addressesOf(request: FastifyRequest, { publicDomain, indexPorts }: IndexPlaces): ServerAddresses {
  const { protocol, host, hostname } = request;
  const port = host.slice(hostname.length);
  const index =
    publicDomain === null ? `${hostname}:${indexPorts.first}` : `index-project.${publicDomain}${port}`;
  return { base: `${protocol}://${host}`, index: `${protocol}://${index}` };
}

/** @throws unsupported-version unless it is a published version */
function requestedVersion(query: unknown): ApiVersion {
  const requested = membersOf(query).version ?? NEWEST_API_VERSION;
  const version = API_VERSIONS.find((each) => each === requested);
  if (version === undefined) {
    throw fault('unsupported-version', {
      version: quoted(String(requested), HEADER_QUOTED_CHARS_MAX),
      supported: API_VERSIONS.join(', '),
    });
  }
  return version;
}

/** The texts depend on the version alone, so each is generated once, on first request. */
function remember(make: (version: ApiVersion) => string): (version: ApiVersion) => string {
  const made = new Map<ApiVersion, string>();
  return (version) => {
    const text = made.get(version) ?? make(version);
    made.set(version, text);
    return text;
  };
}
