// Serves the console at `/` and the API reference at `/docs`, with their assets. All are public; the data behind them is not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { homeObject } from '../../api/openapi/home.ts';
import { CONSOLE_PAGE, pageHeaders, REFERENCE_PAGE } from '../../api/page-headers.ts';
import { type ConsoleFile, readConsoleFiles } from '../console-files.ts';
import { readVendoredScript, vendoredScripts } from '../vendored-script.ts';

/** The path of an asset contains the hash of its content, or its version. */
const FOREVER = {
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'accept-encoding',
  'x-content-type-options': 'nosniff',
};
const OPEN = { config: { open: true } };

/** @param release the version of the product, for clients other than browsers */
export function addConsolePages(app: FastifyInstance, release: string): void {
  const { pages, assets } = readConsoleFiles();
  const [home, docs] = [pages.get('index'), pages.get('docs')];
  app.get('/', OPEN, (request, reply) => {
    reply.header('vary', 'accept, accept-encoding');
    if (home === undefined || !prefersHtml(request.headers.accept)) return reply.send(homeObject(release));
    return send(request, reply.headers({ ...pageHeaders(CONSOLE_PAGE), 'cache-control': 'no-cache' }), home);
  });
  if (docs !== undefined) {
    const headers = { ...pageHeaders(REFERENCE_PAGE), 'cache-control': 'no-cache', vary: 'accept-encoding' };
    app.get('/docs', OPEN, (request, reply) => send(request, reply.headers(headers), docs));
  }
  for (const [path, asset] of assets)
    app.get(path, OPEN, (request, reply) => send(request, reply.headers(FOREVER), asset));
  for (const name of vendoredScripts()) addVendoredScript(app, name);
}

function addVendoredScript(app: FastifyInstance, name: string): void {
  let script: Promise<ConsoleFile> | undefined;
  app.get(`/console/vendor/${name}.js`, OPEN, async (request, reply) => {
    script ??= readVendoredScript(name);
    return send(request, reply.headers(FOREVER), await script);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '').toLowerCase();
  const [encoding, bytes] = [...file.encoded].find(([name]) => accepts(accepted, name)) ?? [];
  reply.type(file.type);
  if (encoding === undefined || bytes === undefined) return reply.send(file.bytes);
  return reply.header('content-encoding', encoding).send(bytes);
}

/** Weights other than 0 do not matter: every browser that names a coding prefers it to none. */
function accepts(accepted: string, coding: string): boolean {
  return accepted
    .split(',')
    .map((each) => each.trim())
    .some((each) => each === coding || (each.startsWith(`${coding};`) && !/;\s*q=0(\.0*)?$/.test(each)));
}

/** True for the Accept header of a browser that opens an address. */
function prefersHtml(accept: string | undefined): boolean {
  return /\btext\/html\b/i.test(accept ?? '');
}
