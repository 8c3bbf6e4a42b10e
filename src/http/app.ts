// What the control and the data application share: the order of steps before a handler, and every error answer.
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Credential, EndpointFacts } from '../api/endpoint.ts';
import { faultBody, faultHeaders } from '../api/fault-body.ts';
import type { DenialLog } from '../app/access/denial-log.ts';
import type { ProjectAccess } from '../domain/access.ts';
import type { RequestedVersion } from '../domain/api-version.ts';
import { type Fault, type FaultName, fault } from '../domain/faults.ts';
import type { Index } from '../domain/index-model.ts';
import { URL_BYTES_MAX } from '../domain/limits.ts';
import { identify, pathOf, requirePermission } from './access/admission.ts';
import type { Authenticators, Caller } from './access/authenticate.ts';
import type { ByteBudget } from './bodies/byte-budget.ts';
import { hearOut } from './bodies/read-body.ts';
import { denialOf } from './denial-of.ts';
import { faultOf } from './fault-of.ts';
import { newRequestId, requestIdHeaders } from './request-id.ts';
import { type Logger, logWhenDone } from './request-log.ts';
import { methodFinder } from './routes/endpoint-paths.ts';
import { readVersion, type Versioning } from './version-header.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; null before the authentication step and on open routes. */
    caller: Caller | null;
    /** What the caller's key opens; null where keys do not count. */
    access: ProjectAccess | null;
    version: RequestedVersion;
    /** Data application only: the index that the request's address stands for. */
    index: Index | null;
  }
  interface FastifyContextConfig {
    /** True for routes that ask for nothing before their own hooks do. */
    readonly open?: boolean;
    /** Absent where the path decides: tokens under /admin, keys elsewhere. */
    readonly credential?: Credential;
    readonly versioning?: Versioning;
    readonly endpoint?: RoutedEndpoint;
  }
}

/** What the steps before a handler need to know of an endpoint. */
export interface RoutedEndpoint extends Pick<EndpointFacts, 'id' | 'errors' | 'path' | 'permission'> {
  /** Of endpoints of the administration: where the caller must have the permission. */
  readonly scope?: 'organization' | 'anywhere';
}

export interface AppContext {
  readonly authenticators: Authenticators;
  readonly denials: Pick<DenialLog, 'add'>;
  /** Whose audit log holds the attempts of callers that nobody knows. */
  readonly homeOrganizationId: string;
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
  /** Of applications that do not answer in JSON. */
  readonly refusals?: Refusals;
}

/** How requests are refused. */
export interface Refusals {
  /** For paths that are none. */
  readonly missing: (path: string) => Fault;
  readonly send: (reply: FastifyReply, told: Fault) => void;
}

const EVENT_STREAM = /^text\/event-stream\b/i;

/** Refusals of the authentication layer have the same body everywhere. */
const STANDARD_ONLY: ReadonlySet<FaultName> = new Set(['unauthenticated', 'permission-denied']);
/** Endpoints whose own body holds for these, too. */
const OWN_THROUGHOUT: ReadonlySet<EndpointFacts['errors']> = new Set(['identity', 'oauth']);

/** An application without routes. To be made ready with `ready()`, then driven through `routing`. */
export function createApp(context: AppContext, { addresses, admit, refusals }: AppParts): FastifyInstance {
  const methodsOf = methodFinder(addresses);
  const missing = (request: FastifyRequest, reply: FastifyReply) =>
    refusals?.missing(pathOf(request)) ?? noRoute(request, reply, methodsOf);
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    sendFault(context, { request, reply, error, send: refusals?.send });
  const app = Fastify({
    genReqId: newRequestId,
    routerOptions: { maxParamLength: URL_BYTES_MAX },
    // Paths that cannot be decoded never reach the hooks.
    frameworkErrors: (error, request, reply) => {
      // Such a request has none of the fields that are given to the others.
      Object.assign(request, { caller: null, access: null, version: null, index: null });
      const send = (refusal: unknown) => refuse(request, reply, refusal);
      Promise.try(() => takeIn(context, request, reply)).then(() => send(error), send);
    },
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('access', null);
  app.decorateRequest('version', null);
  app.decorateRequest('index', null);
  // Handlers read bodies themselves: Fastify ends the connection when a parser refuses, keep-alive or not.
  app.removeAllContentTypeParsers();
  // By an expression, for which the framework keeps what it found: for '*' it would read the header anew with each request.
  app.addContentTypeParser(/^/, (_, stream, done) => done(null, stream));
  app.addHook('onRequest', (request, reply, done) => {
    const goOn = () => {
      if (request.is404 || lacksLastPlace(request)) throw missing(request, reply);
      requirePermission(request);
      if (request.caller !== null) admit?.(request);
    };
    const taken = takeIn(context, request, reply);
    if (taken === undefined) {
      goOn();
      done();
    } else {
      taken.then(goOn).then(() => done(), done);
    }
  });
  app.addHook('onSend', (_, reply, __, done) => {
    // Events come as they are made, which may take long: the client's time is bounded piece by piece.
    if (!EVENT_STREAM.test(String(reply.getHeader('content-type')))) boundAnswer(reply, context.answerMs);
    done();
  });
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  app.setNotFoundHandler((request, reply) => {
    throw missing(request, reply);
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

/**
 * Request id, then authentication, before the path, version or body have any say; then the version. At once
 * for keys, later for tokens.
 */
function takeIn(context: AppContext, request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
  reply.headers(requestIdHeaders(request.id));
  logWhenDone(context.logger, request, reply);
  const known = identify(context.authenticators, request);
  if (known instanceof Promise) return known.then(() => greet(context, request, reply));
  greet(context, request, reply);
  return undefined;
}

function greet(context: AppContext, request: FastifyRequest, reply: FastifyReply): void {
  if (context.isStopping()) throw fault('shutting-down');
  const usual = context.requireVersionHeader ? 'required' : 'usual';
  const { open, versioning = open === true ? 'ignored' : usual } = request.routeOptions.config;
  const { version, echo } = readVersion(request.headers, versioning);
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
  context: AppContext,
  {
    request,
    reply,
    error,
    send = sendJson,
  }: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly error: unknown;
    readonly send?: Refusals['send'] | undefined;
  },
): void {
  const told = faultOf(error, request);
  if (told.condition === 'internal') {
    context.logger.error({ requestId: request.id, err: error }, 'request failed');
  }
  const denial = denialOf(context.homeOrganizationId, request, error);
  if (denial !== undefined) context.denials.add(denial);
  hearOut(request.raw);
  send(reply, told);
}

function sendJson(reply: FastifyReply, told: Fault): void {
  const { errors = 'standard' } = reply.request.routeOptions.config.endpoint ?? {};
  const family = STANDARD_ONLY.has(told.condition) && !OWN_THROUGHOUT.has(errors) ? 'standard' : errors;
  reply
    .code(told.status)
    .headers(faultHeaders(told))
    .send(JSON.stringify(faultBody(family, told)));
}
