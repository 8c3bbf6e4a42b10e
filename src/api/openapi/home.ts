// What the base address answers at `/`: a page for browsers, a small JSON object for others. Both are public.
import type { FastifyInstance } from 'fastify';
import { PAGE_POLICY } from './describe-interface.ts';
import { html, join } from './html.ts';
import { PAGE_STYLE } from './page-style.ts';

const NAME = 'Pinyon';

/** Paths, not whole addresses: a proxy may serve them under a name that this server does not know. */
const LINKS = [
  { name: 'docs', path: '/docs', about: 'Documentation of the API' },
  { name: 'openapi', path: '/openapi.json', about: 'The same as an OpenAPI document' },
  { name: 'health', path: '/health', about: 'Whether the server is up' },
] as const;

/** @param version that of the product, unlike those of the interface */
export function addHome(app: FastifyInstance, version: string): void {
  app.get('/', { config: { open: true } }, (request, reply) => {
    reply.header('vary', 'accept');
    if (!prefersHtml(request.headers.accept)) return reply.send(homeObject(version));
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', PAGE_POLICY)
      .send(homePage(version));
  });
}

function homeObject(version: string) {
  const links = Object.fromEntries(LINKS.map(({ name, path }) => [name, path]));
  return { name: NAME, version, links };
}

function homePage(version: string): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${NAME}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<h1>${NAME} ${version}</h1>
<ul>${join(LINKS.map(({ path, about }) => html`<li><a href="${path}">${about}</a></li>`))}</ul>
</main>
</body>
</html>
`;
  return page.text;
}

/** True for the Accept header of a browser that opens an address. */
function prefersHtml(accept: string | undefined): boolean {
  return /\btext\/html\b/i.test(accept ?? '');
}
