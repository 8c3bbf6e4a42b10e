// Serves the console: its page to browsers at `/`, and its assets. Both are public; the data behind them is not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { homeObject } from '../../api/openapi/home.ts';
import { CONSOLE_PAGE, pageHeaders } from '../../api/page-headers.ts';
import { type ConsoleFile, readConsoleFiles } from '../console-files.ts';

/** The path of an asset contains the hash of its content. */
const FOREVER = 'public, max-age=31536000, immutable';

/** @param release the version of the product, for clients other than browsers */
export function addConsolePage(app: FastifyInstance, release: string): void {
  const { page, assets } = readConsoleFiles();
  app.get('/', { config: { open: true } }, (request, reply) => {
    reply.header('vary', 'accept, accept-encoding');
    if (page === undefined || !prefersHtml(request.headers.accept)) return reply.send(homeObject(release));
    return send(request, reply.headers({ ...pageHeaders(CONSOLE_PAGE), 'cache-control': 'no-cache' }), page);
  });
  for (const [path, asset] of assets) {
    app.get(path, { config: { open: true } }, (request, reply) => {
      reply.headers({
        'cache-control': FOREVER,
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
      });
      return send(request, reply, asset);
    });
  }
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
