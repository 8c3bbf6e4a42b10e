// Forwarding: a request about what another node has is answered by that node, at most once forwarded.
import type { FastifyRequest } from 'fastify';
import type { EndpointDetails } from '../../api/endpoint.ts';
import type { NodeMeter } from '../../app/monitoring/node-meter.ts';
import { Fault, fault } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import type { Node } from '../../domain/nodes/node.ts';
import { clientGone } from '../../domain/overload.ts';
import { traceHeaders } from '../../platform/telemetry/trace-context.ts';
import { whenClosed } from '../client-gone.ts';
import { isGrpc } from '../connections/is-grpc.ts';
import type { AnyRequest } from '../connections/protocol-handlers.ts';
import { newRequestId } from '../request-id.ts';
import type { Logger } from '../request-log.ts';
import { urlFields } from '../routes/request-fields.ts';
import { logTrouble } from '../trouble-log.ts';
import { type ConnectionTimes, NodeConnections } from './node-connections.ts';
import {
  digestOf,
  FORWARDED_ID_HEADER,
  NODE_SECRET_HEADER,
  type Origin,
  takeOrigin,
} from './node-headers.ts';
import { sendGrpc } from './send-grpc.ts';
import { type Passing, sendHttp } from './send-http.ts';
import { whereOf } from './where.ts';

const RETRY_SECONDS = 1;
/** What any node does with an index whose node is dead. The catalog decides whether it is, and what may be changed then. */
const ALSO_OF_THE_DEAD: ReadonlySet<string> = new Set(['delete_index', 'configure_index']);
const CLIENT: Origin = { kind: 'client' };

export interface ForwardingParts {
  /** This node. */
  readonly selfId: string;
  readonly secret: string;
  /** Whether this node may serve what it has. */
  readonly isHeld: () => boolean;
  readonly find: (nodeId: string) => Node | undefined;
  /** The node for something new; null when none takes any. */
  readonly choose: () => Node | null;
  readonly indexByName: (projectId: string, name: string) => Index | undefined;
  /** The node of an assistant; null when it has none, or does not exist. */
  readonly assistantNode: (projectId: string, name: string) => Promise<string | null>;
  /** Resolves when this node knows what was committed before the call. */
  readonly catchUp: () => Promise<void>;
  readonly logger: Logger;
  readonly meter: Pick<NodeMeter, 'forwarded' | 'failed'>;
  /** Only tests pass others. */
  readonly times?: ConnectionTimes;
}

interface Arrival {
  readonly origin: Origin;
  /** As the client requested it. */
  readonly url: string;
}

export type Destination = Node | null;

export class Forwarding {
  readonly connections: NodeConnections;
  readonly #parts: ForwardingParts;
  readonly #secretDigest: Uint8Array;
  readonly #arrivals = new WeakMap<object, Arrival>();

  constructor(parts: ForwardingParts) {
    this.#parts = parts;
    const { logger, meter, times } = parts;
    this.connections = new NodeConnections({
      times,
      onUnreachable: (node, unanswered) => {
        // Those that still waited are counted each.
        for (let i = 0; i < unanswered; i++) meter.failed(node);
        logTrouble(logger, 'warn', { node, unanswered }, 'a node cannot be reached');
      },
    });
    this.#secretDigest = digestOf(parts.secret);
  }

  /** Must be called with each request before anything else reads its headers or changes its address. */
  arrive(raw: AnyRequest): void {
    const origin = takeOrigin(raw.headers, this.#secretDigest);
    this.#arrivals.set(raw, { origin, url: raw.url ?? '/' });
  }

  isFromNode(raw: AnyRequest): boolean {
    return this.#originOf(raw).kind === 'node';
  }

  /** The id that a forwarded request came with, else a new one. */
  requestIdOf(raw: AnyRequest): string {
    const origin = this.#originOf(raw);
    return (origin.kind === 'node' ? origin.requestId : null) ?? newRequestId();
  }

  /** @throws unauthenticated for a request that claims to come from a node, and does not */
  requireGenuine(raw: AnyRequest): void {
    if (this.#originOf(raw).kind === 'forger') throw fault('unauthenticated');
  }

  /** @throws database-unavailable while this node may not serve what it has */
  requireHeld(): void {
    if (!this.#parts.isHeld())
      throw fault('database-unavailable', {
        reason: 'the lease of this node could not be renewed for a while',
      });
  }

  /**
   * Where a request is answered, which has been authenticated and is permitted: null for here.
   * @param isAtIndex whether it came to the address of an index
   * @throws index-elsewhere, node-unavailable
   */
  destinationOf(
    request: FastifyRequest,
    endpoint: Pick<EndpointDetails, 'id' | 'path'>,
    isAtIndex: boolean,
  ): Destination | Promise<Destination> {
    const where = whereOf(endpoint, isAtIndex);
    if (where === 'any' || where === 'body') return null;
    if (where === 'new') return this.isFromNode(request.raw) ? null : this.#chosen();
    if (where === 'index') {
      if (ALSO_OF_THE_DEAD.has(endpoint.id) && this.#isDead(request)) return null;
      return this.#ofIndex(request, isAtIndex);
    }
    const { assistant_name: name = '' } = urlFields(request).params;
    return this.ofAssistant(request, name);
  }

  /** Where requests about an assistant are answered. @throws as `destinationOf` */
  async ofAssistant(request: FastifyRequest, name: string): Promise<Destination> {
    const projectId = request.access?.projectId ?? '';
    const nodeId = await this.#parts.assistantNode(projectId, name);
    return nodeId === null ? null : this.#at(nodeId, request);
  }

  /** Passes the request on, and the answer back. @throws node-unavailable, overloaded, clientGone, before anything of an answer was sent */
  async send(exchange: Pick<Passing, 'request' | 'reply' | 'answerMs' | 'body'>, node: Node): Promise<void> {
    const { request, reply } = exchange;
    const { raw } = request;
    const passing: Passing = {
      ...exchange,
      address: node.address,
      path: this.#arrivals.get(raw)?.url ?? raw.url ?? '/',
      headers: {
        [NODE_SECRET_HEADER]: this.#parts.secret,
        [FORWARDED_ID_HEADER]: request.id,
        'x-forwarded-for': forwardedFor(request),
        // The spans over there are parts of the one here.
        ...(request.trace !== null && traceHeaders(request.trace)),
      },
    };
    this.#parts.meter.forwarded(node.address);
    const ending = new AbortController();
    const leave = this.connections.enter(node, () =>
      ending.abort(new Error('the node is gone, or cannot be reached')),
    );
    whenClosed(reply.raw, () => ending.abort(clientGone()));
    const { connectMs } = this.connections;
    try {
      if (isGrpc(raw)) await sendGrpc(passing, this.connections.sessionOf(node), ending.signal);
      else await sendHttp(passing, { agent: this.connections.agentOf(node), connectMs }, ending.signal);
    } catch (error) {
      if (error instanceof Fault && !reply.raw.headersSent) leave('unanswered');
      if (error instanceof Fault) throw error;
      this.#parts.meter.failed(node.address);
      const about = { requestId: request.id, node: node.address, err: error };
      logTrouble(this.#parts.logger, 'warn', about, 'a node did not answer');
      throw unavailable(node.address);
    } finally {
      leave();
    }
  }

  #originOf(raw: AnyRequest): Origin {
    return this.#arrivals.get(raw)?.origin ?? CLIENT;
  }

  #chosen(): Destination {
    const { choose, selfId } = this.#parts;
    const node = choose();
    if (node === null) throw fault('node-unavailable', { node: 'for new indexes' });
    return node.id === selfId ? null : node;
  }

  #ofIndex(request: FastifyRequest, isAtIndex: boolean): Destination | Promise<Destination> {
    const index = this.#indexOf(request, isAtIndex);
    const nodeId = index?.placement?.nodeId;
    if (nodeId === undefined) return null;
    const { selfId } = this.#parts;
    if (nodeId === selfId || !this.isFromNode(request.raw)) return this.#at(nodeId, request);
    // Whoever forwarded it may know better.
    return this.#parts.catchUp().then(() => {
      const present = index === undefined ? undefined : this.#parts.indexByName(index.projectId, index.name);
      return this.#at(present?.placement?.nodeId ?? nodeId, request);
    });
  }

  /** Whether the node that has the index is dead. */
  #isDead(request: FastifyRequest): boolean {
    const nodeId = this.#indexOf(request, false)?.placement?.nodeId;
    const { selfId, find, isHeld } = this.#parts;
    return nodeId !== undefined && nodeId !== selfId && isHeld() && find(nodeId)?.isAlive !== true;
  }

  #indexOf(request: FastifyRequest, isAtIndex: boolean): Index | undefined {
    if (isAtIndex) return request.index ?? undefined;
    const { index_name: name = '' } = urlFields(request).params;
    return this.#parts.indexByName(request.access?.projectId ?? '', name);
  }

  #at(nodeId: string, request: FastifyRequest): Destination {
    const { selfId, isHeld, find } = this.#parts;
    if (nodeId === selfId) {
      if (!isHeld()) throw elsewhere();
      return null;
    }
    if (this.isFromNode(request.raw)) throw elsewhere();
    const node = find(nodeId);
    if (node?.isAlive !== true) throw unavailable(node?.address ?? nodeId);
    return node;
  }
}

function elsewhere(): Fault {
  const { condition, message } = fault('index-elsewhere');
  return new Fault(condition, message, { retryAfterSeconds: RETRY_SECONDS });
}

function unavailable(node: string): Fault {
  const { condition, message } = fault('node-unavailable', { node });
  return new Fault(condition, message, { retryAfterSeconds: RETRY_SECONDS });
}

/** As proxies do; it counts where PINYON_TRUSTED_PROXIES names the nodes. */
function forwardedFor({ headers, raw }: FastifyRequest): string {
  const earlier = headers['x-forwarded-for'];
  const address = raw.socket.remoteAddress ?? '';
  return earlier === undefined ? address : `${String(earlier)}, ${address}`;
}
