// The server as a whole: ports, protocols and applications, from opening the first port to the last response.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DataExecutor } from '../api/data-request.ts';
import type { DataRoute } from '../api/endpoint.ts';
import { describeInterface } from '../api/openapi/describe-interface.ts';
import { metricsEndpoints } from '../api/rest/monitoring/metrics-endpoints.ts';
import type { ConsoleSessions } from '../app/access/console-sessions.ts';
import type { AliasDirectory } from '../domain/aliases/services.ts';
import type { IndexDirectory, PortDirectory } from '../domain/index-lifecycle.ts';
import type { WriteAdmission } from '../domain/write-admission.ts';
import type { Tracing } from '../platform/telemetry/tracing.ts';
import { presentedKey } from './access/authenticate.ts';
import { podIndexRequests } from './access/pod-keys.ts';
import type { AppContext } from './app.ts';
import { ByteBudget } from './bodies/byte-budget.ts';
import { createGrpcDispatcher } from './connections/grpc-dispatcher.ts';
import { isGrpc } from './connections/is-grpc.ts';
import { passTo } from './connections/pass-to.ts';
import {
  type AnyRequest,
  type AnyResponse,
  createProtocolHandlers,
  type TlsFiles,
} from './connections/protocol-handlers.ts';
import { type BaseEndpoints, type BaseServices, createControlApp } from './control-app.ts';
import { createDataApp, type QueryLog } from './data-app.ts';
import type { DataServing } from './data-requests.ts';
import { createDrain } from './drain.ts';
import {
  type Following,
  isKnown,
  type KnownParts,
  requireCurrent,
  signInPathsOf,
  whenKnown,
} from './following.ts';
import type { Forwarding } from './forwarding/forwarding.ts';
import { createNodeApp, isForNodes, type NodeServing } from './forwarding/node-app.ts';
import { hostCheck } from './host-names.ts';
import { createPortDirectory, targetFinder } from './index-addresses.ts';
import { Listeners } from './listeners.ts';
import { InnerRequests } from './mcp/inner-requests.ts';
import { NamedIndexes } from './named-indexes.ts';
import type { Logger } from './request-log.ts';
import type { RequestTail } from './request-tail.ts';
import type { BulkServing } from './routes/bulk-routes.ts';
import { addConsolePages } from './routes/console-page.ts';
import { addMcpRoutes, MCP_ADDRESSES, type McpMeter } from './routes/mcp-routes.ts';
import { SlowRequests } from './slow-requests.ts';
import { logTrouble } from './trouble-log.ts';

const MEBIBYTE = 2 ** 20;
const SECOND_MS = 1_000;
const mcpEndpoints = MCP_ADDRESSES.map(({ endpoint }) => endpoint);
/**
 * How long a stopping server waits for requests that are on their way: on connections that clients keep open, or have
 * just opened. A client gets `connection: close` with its next response, so busy ones are gone after it.
 */
const QUIET_MS = 150;
/** Its user sees no more than a handshake or a session that fails. */
const WRONG_PROTOCOL = {
  tls:
    'a client began TLS, and this server has no certificate: give the client an http:// address and, for gRPC, its ' +
    'setting for plaintext (docs/grpc.md), or the server PINYON_TLS_CERT and PINYON_TLS_KEY',
  http2: 'a client spoke HTTP/2 without TLS, and this server has TLS only: give it an https:// address',
};

/** The settings of the server. */
export interface ServerSettings {
  readonly bind: string;
  readonly publicHost: string;
  readonly allowedHosts: readonly string[] | null;
  readonly trustedProxies: readonly string[] | null;
  /** 0 picks a free one. */
  readonly port: number;
  /** If null, each index has a port of its own. */
  readonly publicDomain: string | null;
  readonly indexPorts: { readonly first: number };
  readonly connectionsMax: number;
  readonly headersSeconds: number;
  readonly requestSeconds: number;
  readonly keepAliveSeconds: number;
  readonly drainSeconds: number;
  readonly bodyMebibytesMax: number;
  readonly requireVersionHeader: boolean;
  /** Milliseconds after which requests to indexes are logged as slow; 0 for never. */
  readonly slowRequestMs: number;
  /** What the tools of the MCP server may do. */
  readonly mcp: 'read' | 'write' | 'off';
  /** False when every key of a project may do everything with its pod indexes. */
  readonly podKeyRoles: boolean;
}

export interface ServerOptions {
  readonly settings: ServerSettings;
  /** The version of the product. */
  readonly release: string;
  readonly tls: TlsFiles | null;
  readonly logger: Logger;
  /** Records traces; by default nothing does. */
  readonly tracing?: Tracing;
  /** Shows requests in the console; by default nothing does. */
  readonly tail?: RequestTail;
  readonly access: Pick<
    AppContext,
    | 'authenticators'
    | 'denials'
    | 'homeOrganizationId'
    | 'wrongCredentials'
    | 'admitRequest'
    | 'awaitRequest'
    | 'admitBody'
  >;
  /** Where other nodes change what this one keeps in memory. */
  readonly following?: Following | undefined;
  /** Where other nodes have records of their own. */
  readonly forwarding?: Forwarding | undefined;
  /** How long no request may have run before a stopping server closes idle connections. Default QUIET_MS. */
  readonly quietMs?: number;
}

/** What the applications serve. */
export interface Serving {
  readonly endpoints: BaseEndpoints & { readonly data: readonly DataRoute[] };
  readonly services: BaseServices;
  readonly sessions: ConsoleSessions;
  /** Imports, exports and namespace aliases, served on index addresses. */
  readonly bulk?: BulkServing;
  /** What other nodes call here, where they have records of their own. */
  readonly nodes?: NodeServing | undefined;
  readonly executor: DataExecutor;
  readonly directory: IndexDirectory;
  readonly aliases: AliasDirectory;
  /** Holds writes back while the vectors of an index change places; by default none. */
  readonly admission?: WriteAdmission;
  /** Remembers queries by text; by default nothing does. */
  readonly queries?: QueryLog;
  /** Counts calls of MCP tools; by default nothing does. */
  readonly toolMeter?: McpMeter;
  /** Counts requests to indexes; by default nothing does. */
  readonly meter?: DataServing['meter'];
  /** Adds the routes of monitoring to the base address, given how they check that this node knows what others changed. */
  readonly monitor?: (app: FastifyInstance, requireCurrent: AppContext['requireCurrent']) => void;
  /** Whether a key is the operator's; by default none is. */
  readonly isOperatorKey?: (presented: string | undefined) => boolean;
}

export interface Server {
  /** Opens and closes ports of indexes. Ports may be opened once `serve` has resolved. */
  readonly ports: PortDirectory;
  /** Makes the applications ready. Must be called once, before any port is open. */
  serve(serving: Serving): Promise<void>;
  /** Gives new connections another certificate. Only for a server that was created with one. */
  useTls(files: TlsFiles): void;
  /** Opens the base port and resolves to it. @throws Error with code EADDRINUSE, EACCES or similar */
  listen(): Promise<number>;
  /** Stops accepting, lets running requests finish within the drain time, then destroys every connection. */
  stop(): Promise<void>;
}

export function createServer(options: ServerOptions): Server {
  const { settings, release, tls, logger, access, following, forwarding, quietMs = QUIET_MS } = options;
  let route: ((request: AnyRequest, response: AnyResponse) => void) | undefined;
  let basePort: number | undefined;
  const drain = createDrain();
  const serveAny = (request: AnyRequest, response: AnyResponse) => {
    drain.track(request, response);
    forwarding?.arrive(request);
    route?.(request, response);
  };
  const handlers = createProtocolHandlers({
    tls,
    headersMs: settings.headersSeconds * SECOND_MS,
    requestMs: settings.requestSeconds * SECOND_MS,
    keepAliveMs: settings.keepAliveSeconds * SECOND_MS,
    onRequest: serveAny,
    onWrongProtocol: (protocol) => logTrouble(logger, 'warn', {}, WRONG_PROTOCOL[protocol]),
  });
  const listeners = new Listeners({
    bind: settings.bind,
    connectionsMax: settings.connectionsMax,
    onConnection: handlers.accept,
    onRefused: () =>
      logTrouble(
        logger,
        'warn',
        { connectionsMax: settings.connectionsMax },
        'connection refused: too many connections',
      ),
  });
  const ports = createPortDirectory(listeners);
  const usualContext: AppContext = {
    ...access,
    logger,
    ...(options.tracing !== undefined && { tracing: options.tracing }),
    ...(options.tail !== undefined && { tail: options.tail }),
    bodies: new ByteBudget(settings.bodyMebibytesMax * MEBIBYTE),
    requireVersionHeader: settings.requireVersionHeader,
    checkHost: hostCheck(settings),
    ...(following !== undefined && { requireCurrent: () => requireCurrent(following) }),
    ...(forwarding !== undefined && { forwarding }),
    trustedProxies: settings.trustedProxies ?? [],
    answerMs: settings.requestSeconds * SECOND_MS,
    isStopping: drain.isStopping,
    ...(settings.slowRequestMs > 0 && { slowRequests: new SlowRequests(logger, settings.slowRequestMs) }),
  };

  return {
    ports,
    useTls: handlers.useTls,
    serve: async (parts) => {
      const { endpoints, services, sessions, bulk, executor, directory, aliases, monitor } = parts;
      const { publicDomain } = settings;
      const targetOf = targetFinder({ directory, publicDomain, basePort: () => basePort });
      const named = new NamedIndexes(directory);
      const indexAt = (request: Pick<FastifyRequest, 'raw' | 'access'>) => {
        const target = targetOf(request.raw);
        return target.kind === 'index' ? target.index : named.indexOf(request);
      };
      const ignoresRoles = podIndexRequests({ directory, indexAt });
      const context: AppContext = settings.podKeyRoles
        ? usualContext
        : { ...usualContext, authenticators: { ...usualContext.authenticators, ignoresRoles } };
      const baseContext: AppContext = {
        ...context,
        authenticators: { ...context.authenticators, consoleSessions: sessions },
      };
      const control = createControlApp({
        context: baseContext,
        endpoints,
        services,
        sessions,
        addresses: settings.mcp === 'off' ? [] : mcpEndpoints,
        describe: (app) => {
          const sets = {
            ...endpoints,
            control: [...endpoints.control, ...metricsEndpoints, ...mcpEndpoints],
            data: [...endpoints.data, ...(bulk?.endpoints ?? [])],
          };
          addConsolePages(app, release);
          describeInterface(app, sets, settings);
          if (settings.mcp !== 'off') {
            const inner = new InnerRequests({ serve: serveAny, basePort: () => basePort });
            const meter = parts.toolMeter ?? { add: () => undefined };
            addMcpRoutes({ app, context, mode: settings.mcp, release, meter, inner });
          }
          monitor?.(app, context.requireCurrent);
        },
      });
      const serving: DataServing = {
        context,
        executor,
        directory,
        aliases,
        indexAt,
        admission: parts.admission,
        meter: parts.meter,
      };
      const { inference } = services.inference;
      const dataParts = { ...serving, endpoints: endpoints.data, bulk, inference, queries: parts.queries };
      const data = createDataApp(dataParts);
      const dataByName = createDataApp({
        ...dataParts,
        context: baseContext,
        nameIn: (request) => named.nameIn(request),
      });
      const grpc = createGrpcDispatcher({ ...serving, endpoints: endpoints.data, bulk });
      const forNodes = parts.nodes === undefined ? null : createNodeApp(context, parts.nodes);
      await Promise.all([control.ready(), data.ready(), dataByName.ready(), forNodes?.ready()]);
      const known: KnownParts = {
        ...{ authenticators: access.authenticators, sessions, directory, targetOf },
        signInPaths: signInPathsOf([...endpoints.identity, ...endpoints.console]),
        isOperator: ({ headers }) => parts.isOperatorKey?.(presentedKey(headers)) === true,
      };
      const pass = (request: AnyRequest, response: AnyResponse) => {
        if (forNodes !== null && isForNodes(request)) passTo(forNodes, request, response);
        else if (isGrpc(request)) grpc.dispatch(request, response);
        else if (targetOf(request).kind === 'index') passTo(data, request, response);
        else passTo(named.take(request) ? dataByName : control, request, response);
      };
      route = (request, response) => {
        if (following === undefined) pass(request, response);
        else whenKnown(following, isKnown(request, known), () => pass(request, response));
      };
    },
    listen: async () => {
      basePort = await listeners.open(settings.port);
      return basePort;
    },
    stop: async () => {
      const finished = drain.stop({ withinMs: settings.drainSeconds * SECOND_MS, quietMs });
      handlers.announceEnd();
      await listeners.closeAll();
      const cutOff = await finished;
      handlers.closeIdle();
      if (cutOff > 0) logger.warn({ requests: cutOff }, 'requests cut off at the end of the drain time');
      forwarding?.connections.close();
      listeners.destroyConnections();
    },
  };
}
