// The routes that describe the interface: the OpenAPI document and the page for people, both open to all.
import type { FastifyInstance } from 'fastify';
import { API_VERSIONS, type ApiVersion, NEWEST_API_VERSION } from '../../domain/api-version.ts';
import { fault } from '../../domain/faults.ts';
import { quoted } from '../quoted.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './openapi-document.ts';
import type { EndpointSets } from './planes.ts';

/** Nothing but the page's own styles: it loads and runs nothing. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

export function describeInterface(app: FastifyInstance, sets: EndpointSets): void {
  const documents = remember((version) => JSON.stringify(openApiDocument(version, sets)));
  const pages = remember((version) => docsPage(version, sets));
  app.get('/openapi.json', { config: { open: true } }, (request, reply) =>
    reply.type('application/json; charset=utf-8').send(documents(askedVersion(request.query))),
  );
  app.get('/docs', { config: { open: true } }, (request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', PAGE_POLICY)
      .send(pages(askedVersion(request.query))),
  );
}

/** @throws unsupported-version for anything but a published version */
function askedVersion(query: unknown): ApiVersion {
  const asked = (query as { readonly version?: unknown }).version ?? NEWEST_API_VERSION;
  const version = API_VERSIONS.find((each) => each === asked);
  if (version === undefined) {
    throw fault('unsupported-version', {
      version: quoted(String(asked)),
      supported: API_VERSIONS.join(', '),
    });
  }
  return version;
}

/** The texts depend on the version alone: each is made once, when first asked for. */
function remember(make: (version: ApiVersion) => string): (version: ApiVersion) => string {
  const made = new Map<ApiVersion, string>();
  return (version) => {
    const text = made.get(version) ?? make(version);
    made.set(version, text);
    return text;
  };
}
