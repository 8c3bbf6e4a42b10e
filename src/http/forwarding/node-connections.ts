// Connections to other nodes: kept open, bounded, and cut when a node is found dead, or cannot be reached.
import { Agent as HttpAgent } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Agent as HttpsAgent } from 'node:https';
import type { Node } from '../../domain/nodes/node.ts';
import { overloaded } from '../../domain/overload.ts';
import { PeerWatch, type WatchTimes } from './peer-watch.ts';

const SOCKETS_MAX = 256;
/** Requests under way to one node. */
export const REQUESTS_MAX = 1_024;
/** Less than a node keeps idle connections open, so that none is closed while a request is on its way. */
const IDLE_MS = 4_000;
/** A node that cannot be reached is given up after 8 s at most, as one whose lease expires. */
const TIMES: ConnectionTimes = { connectMs: 3_000, pauseMs: 1_000, probeMs: 3_000 };

export interface ConnectionTimes extends WatchTimes {
  /** How long a connection may take to be made. */
  readonly connectMs: number;
}

export interface NodeConnectionsParts {
  readonly times?: ConnectionTimes | undefined;
  /**
   * Called when a node that was asked something cannot be reached; what is under way to it is then cut off.
   * @param unanswered requests whose clients had left before that, without anything of an answer
   */
  readonly onUnreachable: (address: string, unanswered: number) => void;
}

/** To be called when a request has ended; `unanswered` where its client left before anything of an answer. */
export type Leave = (how?: 'unanswered') => void;

interface Peer {
  readonly address: string;
  readonly agent: HttpAgent;
  readonly watch: PeerWatch;
  session: ClientHttp2Session | null;
  /** Cut off the requests under way. */
  readonly cuts: Set<() => void>;
}

export class NodeConnections {
  readonly #peers = new Map<string, Peer>();
  readonly #onUnreachable: NodeConnectionsParts['onUnreachable'];
  readonly #times: ConnectionTimes;

  constructor({ onUnreachable, times = TIMES }: NodeConnectionsParts) {
    this.#onUnreachable = onUnreachable;
    this.#times = times;
  }

  /** How long a connection may take to be made, in milliseconds. */
  get connectMs(): number {
    return this.#times.connectMs;
  }

  /** The agent for HTTP/1.1 to a node. */
  agentOf(node: Node): HttpAgent {
    return this.#of(node).agent;
  }

  /** The session for HTTP/2 to a node. */
  sessionOf(node: Node): ClientHttp2Session {
    const peer = this.#of(node);
    if (peer.session !== null && !peer.session.closed && !peer.session.destroyed) return peer.session;
    const session = connect(node.address);
    // Requests have listeners of their own.
    session.on('error', () => undefined);
    session.unref();
    const { connectMs } = this.#times;
    const late = setTimeout(
      () => session.destroy(new Error(`no connection within ${connectMs} ms`)),
      connectMs,
    );
    late.unref();
    for (const event of ['connect', 'close']) session.once(event, () => clearTimeout(late));
    peer.session = session;
    return session;
  }

  /**
   * Counts a request under way.
   * @param cut ends it when the node is found dead
   * @throws overloaded
   */
  enter(node: Node, cut: () => void): Leave {
    const { cuts, watch } = this.#of(node);
    if (cuts.size >= REQUESTS_MAX) throw overloaded();
    cuts.add(cut);
    watch.begin();
    return (how) => {
      cuts.delete(cut);
      if (how === 'unanswered') watch.noteUnanswered();
    };
  }

  /** Cuts off what waits for nodes whose lease has expired. */
  follow(nodes: readonly Node[]): void {
    for (const { id, isAlive } of nodes) if (!isAlive) this.#end(id);
  }

  close(): void {
    for (const id of [...this.#peers.keys()]) this.#end(id);
  }

  #of({ id, address }: Node): Peer {
    const known = this.#peers.get(id);
    if (known?.address === address) return known;
    if (known !== undefined) this.#end(id);
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX, timeout: IDLE_MS };
    const agent = address.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options);
    const cuts: Peer['cuts'] = new Set();
    const watch = new PeerWatch({
      ...{ ...this.#times, address },
      isAsked: () => cuts.size > 0,
      onUnreachable: (unanswered) => {
        this.#end(id);
        this.#onUnreachable(address, unanswered);
      },
    });
    const peer: Peer = { address, agent, watch, session: null, cuts };
    this.#peers.set(id, peer);
    return peer;
  }

  #end(id: string): void {
    const peer = this.#peers.get(id);
    if (peer === undefined) return;
    this.#peers.delete(id);
    peer.watch.end();
    for (const cut of [...peer.cuts]) cut();
    peer.agent.destroy();
    peer.session?.destroy();
  }
}
