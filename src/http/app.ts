// What the control and data applications share: the order of the steps before a handler, and every error response.
import { Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Credential, EndpointDetails } from '../api/endpoint.ts';
import { familyOf, faultBody, faultHeaders, OWN_BODY_ALWAYS } from '../api/fault-body.ts';
import { AS_OF_HEADER, refuseMoment } from '../api/rest/records/as-of.ts';
import type { DenialLog } from '../app/access/denial-log.ts';
import type { WrongCredentials } from '../app/access/wrong-credentials.ts';
import type { ProjectAccess } from '../domain/access.ts';
import { type RequestedVersion, versionForEndpoint } from '../domain/api-version.ts';
import { Fault, type FaultName, fault } from '../domain/faults.ts';
import type { Index } from '../domain/index-model.ts';
import { URL_BYTES_MAX } from '../domain/limits.ts';
import type { TraceContext } from '../platform/telemetry/trace-context.ts';
import { type Tracing, within } from '../platform/telemetry/tracing.ts';
import { identify, pathOf, requirePermission } from './access/admission.ts';
import type { Authenticators, Caller } from './access/authenticate.ts';
import { accessDenialOf } from './access-denial.ts';
import type { ByteBudget } from './bodies/byte-budget.ts';
import { drainBody } from './bodies/read-body.ts';
import { boundAnswer } from './bound-answer.ts';
import { failureOf } from './failure.ts';
import type { Destination, Forwarding } from './forwarding/forwarding.ts';
import type { Refusal } from './refusal.ts';
import { newRequestId, requestIdHeaders } from './request-id.ts';
import { type Logger, logWhenDone } from './request-log.ts';
import { noteReason, noteWhenDone, type RequestTail } from './request-tail.ts';
import { traceRequest } from './request-trace.ts';
import type { RequestWork } from './request-work.ts';
import { responseTimeHeaders } from './response-time.ts';
import { type Address, type PathDetails, pathFinder } from './routes/endpoint-paths.ts';
import type { SlowRequests } from './slow-requests.ts';
import { readVersion, type Versioning } from './version-header.ts';
import type { AdmitBody } from './write-quotas.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the authentication step and on open routes. */
    caller: Caller | null;
    /** What the caller's key may access; null where the credential is not a key. */
    access: ProjectAccess | null;
    version: RequestedVersion;
    /** Data application only: the index at the request's address. */
    index: Index | null;
    /** Why the request was refused; null where it was not. */
    refusal: Refusal | null;
    /** The trace that its work belongs to; null outside of any. */
    trace: TraceContext | null;
    /** What the engine did for it; null while, or where, it did nothing. */
    work: RequestWork | null;
  }
  interface FastifyContextConfig {
    /** True for routes that refuse the header with a moment to read at. */
    readonly refusesMoment?: boolean;
    /** True for routes that check nothing before their own hooks run. */
    readonly open?: boolean;
    /** True for routes that answer, at least in part, while this node does not know what the others have changed. */
    readonly whileBehind?: boolean;
    /** If absent, the path decides: tokens under /admin, keys elsewhere. */
    readonly credential?: Credential;
    readonly versioning?: Versioning;
    readonly endpoint?: RoutedEndpoint;
  }
}

/** What the steps before a handler need to know of an endpoint. */
export interface RoutedEndpoint
  extends Pick<EndpointDetails, 'id' | 'errors' | 'path' | 'permission' | 'since'> {
  /** Administration endpoints: where the caller must have the permission. */
  readonly scope?: 'organization' | 'anywhere';
}

export interface AppContext {
  readonly authenticators: Authenticators;
  readonly denials: Pick<DenialLog, 'add'>;
  /** By default, wrong credentials are answered without a limit. */
  readonly wrongCredentials?: Pick<WrongCredentials, 'fromAddress'>;
  /** Counts requests of projects and keys; by default there are no quotas. @throws rate-exceeded */
  readonly admitRequest?: (access: ProjectAccess) => void;
  /** Waits until quotas have room for a request that one makes for its caller. @throws the signal's reason */
  readonly awaitRequest?: (access: ProjectAccess, signal: AbortSignal) => Promise<void>;
  /** Counts what callers write, once it has come; by default there are no quotas. @throws rate-exceeded, quota-exceeded */
  readonly admitBody?: AdmitBody;
  /** The organization whose audit log records attempts of unauthenticated callers. */
  readonly homeOrganizationId: string;
  readonly logger: Logger;
  /** Records traces; by default those of callers are passed on. */
  readonly tracing?: Tracing;
  /** Logs slow requests to the engine; by default none is slow. */
  readonly slowRequests?: SlowRequests;
  /** Shows requests in the console. */
  readonly tail?: RequestTail;
  /** The memory budget for the bodies of all requests. */
  readonly bodies: ByteBudget;
  readonly requireVersionHeader: boolean;
  /** Addresses and ranges of proxies that are believed about the client's address. */
  readonly trustedProxies: readonly string[];
  /** @throws host-not-allowed */
  readonly checkHost: (host: string) => void;
  /** @throws database-unavailable while this node does not know what the others have changed */
  readonly requireCurrent?: () => void;
  /** Where other nodes have records of their own; by default this one answers everything. */
  readonly forwarding?: Forwarding;
  /** How long a client may take to read a whole response, or a piece of a streamed one. */
  readonly answerMs: number;
  /** True once the server has begun to stop. */
  readonly isStopping: () => boolean;
}

export interface AppParts {
  readonly addresses: readonly Address[];
  /** Last step before the body is read; runs for authenticated requests of known paths. */
  readonly admit?: (request: FastifyRequest) => void;
  /** True for applications at addresses of indexes. */
  readonly isAtIndex?: boolean;
  /** For applications that do not respond in JSON. */
  readonly refusals?: Refusals;
}

/** How requests are refused. */
export interface Refusals {
  /** For unknown paths. */
  readonly missing: (path: string) => Fault;
  readonly send: (reply: FastifyReply, fault: Fault) => void;
}

/** Of routes without an endpoint. */
const STANDARD = { errors: 'standard' } as const;

/** Endpoints check requests themselves. Without these, Fastify would load its own validators, a hundred modules, for nothing. */
const NO_SCHEMAS = {
  compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas },
};

const WRONG_CREDENTIALS: ReadonlySet<FaultName> = new Set(['unauthenticated', 'sign-in-refused']);

/** An application without routes. Callers make it ready with `ready()`, then pass requests to `routing`. */
export function createApp(
  context: AppContext,
  { addresses, admit, refusals, isAtIndex = false }: AppParts,
): FastifyInstance {
  const detailsOf = pathFinder(addresses);
  const missing = (request: FastifyRequest, reply: FastifyReply) =>
    refusals?.missing(pathOf(request)) ?? noRoute(request, reply, detailsOf(pathOf(request)));
  const send = refusals?.send ?? ((reply, fault) => sendJson(reply, fault, detailsOf));
  const refuse = (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    sendFault(context, { request, reply, error, send });
  const app = Fastify({
    genReqId: (raw) => context.forwarding?.requestIdOf(raw) ?? newRequestId(),
    schemaController: NO_SCHEMAS,
    ...(context.trustedProxies.length > 0 && { trustProxy: [...context.trustedProxies] }),
    routerOptions: { maxParamLength: URL_BYTES_MAX },
    // A path that cannot be decoded never reaches the hooks.
    frameworkErrors: (error, request, reply) => {
      // Such a request has none of the decorated fields.
      Object.assign(request, {
        ...{ caller: null, access: null, version: null, index: null, refusal: null, trace: null, work: null },
      });
      const send = (refusal: unknown) => {
        reply.headers(responseTimeHeaders(reply.elapsedTime));
        refuse(request, reply, refusal);
      };
      Promise.try(() => beginRequest(context, { request, reply })).then(() => send(error), send);
    },
  });
  app.decorateRequest('caller', null);
  app.decorateRequest('access', null);
  app.decorateRequest('version', null);
  app.decorateRequest('index', null);
  app.decorateRequest('refusal', null);
  app.decorateRequest('trace', null);
  app.decorateRequest('work', null);
  // Handlers read bodies themselves: Fastify closes the connection when a parser fails, even with keep-alive.
  app.removeAllContentTypeParsers();
  // A regular expression, because Fastify caches its matches; with '*' it would parse the header on every request.
  app.addContentTypeParser(/^/, (_, stream, done) => done(null, stream));
  app.addHook('onRequest', (request, reply, done) => {
    const proceed = (): Destination | Promise<Destination> => {
      if (request.is404 || lacksLastParameter(request)) throw missing(request, reply);
      requirePermission(context.authenticators, request);
      if (request.caller !== null) admit?.(request);
      if (request.routeOptions.config.refusesMoment === true) refuseMoment(request.headers[AS_OF_HEADER]);
      return destinationOf(context, request, isAtIndex);
    };
    const conclude = (destination: Destination): void => {
      if (destination === null) done();
      else forward(context, { request, reply, destination }).catch(done);
    };
    const isOpen = request.is404 && hasOpenMethods(detailsOf(pathOf(request)));
    const begin = () => {
      const begun = beginRequest(context, { request, reply, isOpen });
      const next = begun === undefined ? proceed() : begun.then(proceed);
      if (next instanceof Promise) next.then(conclude, done);
      else conclude(next);
    };
    const tracing = context.tracing ?? null;
    request.trace = traceRequest(tracing, request, reply);
    if (request.trace === null) begin();
    else within(request.trace, tracing, begin);
  });
  app.addHook('onSend', (_, reply, payload, done) => {
    reply.headers(responseTimeHeaders(reply.elapsedTime));
    if (context.tail !== undefined) noteReason(reply, payload);
    // A stream may last long: what sends it bounds the client's time piece by piece.
    if (!(payload instanceof Readable)) boundAnswer(reply, context.answerMs);
    done();
  });
  app.setErrorHandler((error, request, reply) => refuse(request, reply, error));
  app.setNotFoundHandler((request, reply) => {
    throw missing(request, reply);
  });
  app.get('/health', { config: { open: true } }, () => {
    context.forwarding?.requireHeld();
    return { status: 'ok' };
  });
  // Tells that the process answers, whether or not it is ready to serve, as `/health` tells.
  app.get('/health/live', { config: { open: true, whileBehind: true } }, () => ({ status: 'ok' }));
  return app;
}

/** Null where this node answers. Requests without a caller or an endpoint concern nothing that another one has. */
function destinationOf(
  { forwarding }: AppContext,
  request: FastifyRequest,
  isAtIndex: boolean,
): Destination | Promise<Destination> {
  const { endpoint } = request.routeOptions.config;
  if (forwarding === undefined || request.access === null || endpoint === undefined) return null;
  return forwarding.destinationOf(request, endpoint, isAtIndex);
}

interface ForwardedRequest extends Pick<BegunRequest, 'request' | 'reply'> {
  readonly destination: NonNullable<Destination>;
  /** Where it was read already. */
  readonly body?: Uint8Array;
}

/** Resolves when another node's answer has been passed on. @throws a refusal, if nothing of an answer was sent */
export async function forward(
  { forwarding, answerMs }: Pick<AppContext, 'forwarding' | 'answerMs'>,
  { request, reply, destination, body }: ForwardedRequest,
): Promise<void> {
  try {
    await forwarding?.send({ request, reply, answerMs, body }, destination);
    drainBody(request.raw);
  } catch (error) {
    if (!reply.raw.headersSent) throw error;
    reply.raw.destroy();
  }
}

/**
 * For `/namespaces/` the router yields an empty parameter. The empty name would then mean the default namespace,
 * which nobody means to delete with a trailing slash.
 */
function lacksLastParameter(request: FastifyRequest): boolean {
  const path = pathOf(request);
  return path !== '/' && path.endsWith('/');
}

interface BegunRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** True for a refusal that needs no credential. */
  readonly isOpen?: boolean;
}

/** True for a known path whose endpoints answer callers without a credential in a body of their own. */
function hasOpenMethods({ methods, errors }: PathDetails): boolean {
  return methods.length > 0 && OWN_BODY_ALWAYS.has(errors);
}

/**
 * Assigns the request id and authenticates before anything looks at the path, version or body; then reads the version.
 * Synchronous for keys, asynchronous for tokens.
 */
function beginRequest(context: AppContext, begun: BegunRequest): void | Promise<void> {
  const { request, reply, isOpen } = begun;
  reply.headers(requestIdHeaders(request.id));
  logWhenDone(context.logger, request, reply);
  if (context.tail !== undefined) noteWhenDone(context.tail, request, reply);
  context.forwarding?.requireGenuine(request.raw);
  context.checkHost(request.host);
  if (request.routeOptions.config.whileBehind !== true) context.requireCurrent?.();
  const known = isOpen ? undefined : identify(context.authenticators, request);
  if (known instanceof Promise) return known.then(() => admitKnown(context, begun));
  admitKnown(context, begun);
  return undefined;
}

function admitKnown(context: AppContext, begun: BegunRequest): void {
  if (context.isStopping()) throw fault('shutting-down');
  try {
    readVersionOf(context, begun);
  } finally {
    // Whatever is refused counts, too; a refusal beyond the quota tells the version like any other.
    countRequest(context, begun.request);
  }
}

/** @throws rate-exceeded */
function countRequest({ forwarding, admitRequest }: AppContext, { access, raw }: FastifyRequest): void {
  // The node that forwarded it has counted it.
  if (access !== null && forwarding?.isFromNode(raw) !== true) admitRequest?.(access);
}

function readVersionOf(context: AppContext, { request, reply, isOpen = false }: BegunRequest): void {
  const usual = context.requireVersionHeader ? 'required' : 'usual';
  const { config } = request.routeOptions;
  const { open, endpoint, versioning = open === true || isOpen ? 'ignored' : usual } = config;
  const { version, echo } = readVersion(request.headers, versioning);
  request.version = endpoint === undefined ? version : versionForEndpoint(version, endpoint.since);
  reply.headers(echo);
}

function noRoute(request: FastifyRequest, reply: FastifyReply, { methods }: PathDetails): Fault {
  const path = pathOf(request);
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
    send,
  }: {
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
    readonly error: unknown;
    readonly send: Refusals['send'];
  },
): void {
  const answered = backOff(context, request, error) ?? error;
  const fault = failureOf(context.logger, request, answered);
  const denial = accessDenialOf(context.homeOrganizationId, request, answered);
  if (denial !== undefined) context.denials.add(denial);
  drainBody(request.raw);
  send(reply, fault);
}

/** The fault for too many wrong credentials of an address; null for other refusals, and for requests without any. */
function backOff({ wrongCredentials }: AppContext, request: FastifyRequest, error: unknown): Fault | null {
  if (!(error instanceof Fault) || !WRONG_CREDENTIALS.has(error.condition)) return null;
  const { headers, ip, routeOptions } = request;
  const isInBody = routeOptions.config.credential === 'none';
  const isGiven = isInBody || headers['api-key'] !== undefined || headers.authorization !== undefined;
  return isGiven ? (wrongCredentials?.fromAddress(ip) ?? null) : null;
}

function sendJson(reply: FastifyReply, fault: Fault, detailsOf: (path: string) => PathDetails): void {
  const { request } = reply;
  const { endpoint } = request.routeOptions.config;
  const { errors } = endpoint ?? (request.is404 ? detailsOf(pathOf(request)) : STANDARD);
  const family = familyOf(fault.condition, errors);
  reply
    .code(fault.status)
    .headers(faultHeaders(fault))
    .send(JSON.stringify(faultBody(family, fault)));
}

function withoutSchemas(): never {
  throw new Error('routes have no schemas of Fastify');
}
