// What the control and the data application share: the order of steps before a handler, and every error answer.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ProjectAccess } from '../domain/access.ts';
import type { RequestedVersion } from '../domain/api-version.ts';
import { type Fault, type FaultName, fault } from '../domain/faults.ts';
import type { Index } from '../domain/index-model.ts';
import { URL_BYTES_MAX } from '../domain/limits.ts';
import type { EndpointFacts } from '../surfaces/endpoint.ts';
import { faultBody, faultHeaders } from '../surfaces/fault-body.ts';
import type { ByteBudget } from './byte-budget.ts';
import { methodFinder } from './endpoint-paths.ts';
import { faultOf } from './fault-of.ts';
import type { KeyRing } from './key-ring.ts';
import { hearOut } from './read-body.ts';
import { newRequestId, requestIdHeaders } from './request-id.ts';
import { type Logger, logWhenDone } from './request-log.ts';
import { readVersion } from './version-header.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; null before the authentication step and on open routes. */
    access: ProjectAccess | null;
    version: RequestedVersion;
    /** Data application only: the index that the request's address stands for. */
    index: Index | null;
  }
  interface FastifyContextConfig {
    /** True for routes that need no key. */
    readonly open?: boolean;
    readonly endpoint?: Pick<EndpointFacts, 'errors' | 'path'>;
  }
}

export interface AppContext {
  readonly keys: KeyRing;
  readonly logger: Logger;
  /** Memory for the bodies of all requests. */
  readonly bodies: ByteBudget;
  readonly requireVersionHeader: boolean;
  /** Time a client has to take a whole answer. */
  readonly answerMs: number;
  /** True once the server is told to stop. */
  readonly isStopping: () => boolean;
}

export interface AppParts {
  readonly addresses: readonly Pick<EndpointFacts, 'method' | 'path'>[];
  /** Last step before the body is read; runs for authenticated requests of known paths. */
  readonly admit?: (request: FastifyRequest) => void;
}

/** Refusals of the authentication layer have the same body everywhere. */
const STANDARD_ONLY: ReadonlySet<FaultName> = new Set(['unauthenticated', 'permission-denied']);

/** An application without routes. To be made ready with `ready()`, then driven through `routing`. */
export function createApp(context: AppContext, { addresses, admit }: AppParts): FastifyInstance {
  const methodsOf = methodFinder(addresses);
  const app = Fastify({
    genReqId: newRequestId,
    routerOptions: { maxParamLength: URL_BYTES_MAX },
    // Paths that cannot be decoded never reach the hooks.
    frameworkErrors: (error, request, reply) => {
      const refused = attempt(() => takeIn(context, request, reply));
      sendFault(context, { request, reply, error: refused ?? error });
    },
  });
  app.decorateRequest('access', null);
  app.decorateRequest('version', null);
  app.decorateRequest('index', null);
  // Handlers read bodies themselves: Fastify ends the connection when a parser refuses, keep-alive or not.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_, stream, done) => done(null, stream));
  app.addHook('onRequest', (request, reply, done) => {
    takeIn(context, request, reply);
    if (request.is404 || lacksLastPlace(request)) throw noRoute(request, reply, methodsOf);
    if (request.access !== null) admit?.(request);
    done();
  });
  app.addHook('onSend', (_, reply, __, done) => {
    boundAnswer(reply, context.answerMs);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendFault(context, { request, reply, error }));
  app.setNotFoundHandler((request, reply) => {
    throw noRoute(request, reply, methodsOf);
  });
  app.get('/health', { config: { open: true } }, () => ({ status: 'ok' }));
  return app;
}

/** Not asked of the headers: HTTP/2 has bodies without a length and without a type. */
export function mayHaveBody({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * The router fills a place with nothing for `/namespaces/`; an empty name would then stand for the default
 * namespace, which nobody means to delete by a slash too many.
 */
function lacksLastPlace(request: FastifyRequest): boolean {
  return pathOf(request).endsWith('/');
}

function pathOf({ url }: FastifyRequest): string {
  // As the router reads it: raw clients may send a fragment, too.
  return url.split(/[?#]/, 1)[0] ?? '/';
}

/** Request id, then authentication, before the path, version or body have any say; then the version. */
function takeIn(context: AppContext, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(requestIdHeaders(request.id));
  logWhenDone(context.logger, request, reply);
  const open = request.routeOptions.config.open === true;
  if (!open) request.access = authenticate(context.keys, request);
  if (context.isStopping()) throw fault('shutting-down');
  if (open) return;
  const { version, echo } = readVersion(request.headers, context.requireVersionHeader);
  request.version = version;
  reply.headers(echo);
}

/** A client that does not take its answer would hold the memory of it for as long as it likes. */
function boundAnswer({ raw }: FastifyReply, answerMs: number): void {
  // A client that left before its answer closes nothing any more.
  if (raw.destroyed || raw.closed) return;
  const timer = setTimeout(() => raw.destroy(), answerMs).unref();
  raw.once('close', () => clearTimeout(timer));
}

function authenticate(keys: KeyRing, request: FastifyRequest): ProjectAccess {
  const presented = request.headers['api-key'];
  const access = keys.authenticate(typeof presented === 'string' ? presented : undefined);
  if (access === undefined) throw fault('unauthenticated');
  return access;
}

function noRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  methodsOf: (path: string) => readonly string[],
): Fault {
  const path = pathOf(request);
  const methods = methodsOf(path);
  if (methods.length === 0) return fault('path-not-found', { method: request.method, path });
  reply.header('allow', methods.join(', '));
  return fault('method-not-allowed', { method: request.method, path });
}

function sendFault(
  { logger }: AppContext,
  {
    request,
    reply,
    error,
  }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly error: unknown },
): void {
  const told = faultOf(error, request);
  if (told.condition === 'internal') logger.error({ requestId: request.id, err: error }, 'request failed');
  const { endpoint } = request.routeOptions.config;
  const family = endpoint === undefined || STANDARD_ONLY.has(told.condition) ? 'standard' : endpoint.errors;
  hearOut(request.raw);
  reply
    .code(told.status)
    .headers(faultHeaders(told))
    .send(JSON.stringify(faultBody(family, told)));
}

function attempt(step: () => void): unknown {
  try {
    step();
    return undefined;
  } catch (error) {
    return error;
  }
}
