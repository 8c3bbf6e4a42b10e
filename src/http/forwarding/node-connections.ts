// Connections to other nodes: kept open, bounded, and cut when a node is found dead.
import { Agent as HttpAgent } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Agent as HttpsAgent } from 'node:https';
import type { Node } from '../../domain/nodes/node.ts';
import { overloaded } from '../../domain/overload.ts';

const SOCKETS_MAX = 256;
/** Requests under way to one node. */
export const REQUESTS_MAX = 1_024;
/** Less than a node keeps idle connections open, so that none is closed while a request is on its way. */
const IDLE_MS = 4_000;

interface Peer {
  readonly address: string;
  readonly agent: HttpAgent;
  session: ClientHttp2Session | null;
  /** Cut off the requests under way. */
  readonly cuts: Set<() => void>;
}

export class NodeConnections {
  readonly #peers = new Map<string, Peer>();

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
    peer.session = session;
    return session;
  }

  /**
   * Counts a request under way.
   * @param cut ends it when the node is found dead
   * @returns call it when the request has ended
   * @throws overloaded
   */
  enter(node: Node, cut: () => void): () => void {
    const { cuts } = this.#of(node);
    if (cuts.size >= REQUESTS_MAX) throw overloaded();
    cuts.add(cut);
    return () => {
      cuts.delete(cut);
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
    const peer: Peer = { address, agent, session: null, cuts: new Set() };
    this.#peers.set(id, peer);
    return peer;
  }

  #end(id: string): void {
    const peer = this.#peers.get(id);
    if (peer === undefined) return;
    this.#peers.delete(id);
    for (const cut of [...peer.cuts]) cut();
    peer.agent.destroy();
    peer.session?.destroy();
  }
}
