// This node among several: its lease on what it has, renewed every second, and what is known of the others.
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeStore } from '../../catalog/port.ts';
import { newId } from '../../domain/ids.ts';
import { chooseNode } from '../../domain/nodes/choose-node.ts';
import { NODE_LEASE_MS, NODE_SERVING_MS, type Node, type NodeReport } from '../../domain/nodes/node.ts';
import {
  type Clocks,
  type Moment,
  momentOf,
  msSince,
  NEVER,
  OWN_CLOCKS,
} from '../../platform/elapsed-time.ts';

const RENEWAL_MS = 1_000;
const JOIN_RETRY_MS = 500;
/** An earlier process that has ended renews no more. Other nodes may wait to start meanwhile. */
const JOIN_MS_MAX = 2.5 * NODE_LEASE_MS;

export interface NodeMembershipParts {
  readonly store: Pick<NodeStore, 'renew' | 'leave' | 'list'>;
  readonly id: string;
  readonly address: string;
  readonly release: string;
  readonly report: () => Promise<NodeReport>;
  /** Called while the start waits for the lease of an earlier process of this node. */
  readonly onWait: () => void;
  readonly onFailure: (error: unknown) => void;
  /**
   * Resolves when this node knows what others did while its lease had lapsed: they may have taken over what it had.
   * @throws when it does not
   */
  readonly catchUp: () => Promise<void>;
  /** Another process has taken this node over: this one must stop at once. */
  readonly onLost: () => void;
  /** Default: those of this machine. */
  readonly clocks?: Clocks;
}

/** Another process renews the lease of this node. */
export class NodeRunsElsewhere extends Error {}

export class NodeMembership {
  readonly id: string;
  readonly #parts: NodeMembershipParts;
  readonly #clocks: Clocks;
  readonly #process: { readonly id: string; readonly incarnation: string };
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(nodes: readonly Node[]) => void>();
  #renewedAt: Moment = NEVER;
  #nodes: ReadonlyMap<string, Node> = new Map();
  /** How often each was chosen since they were read. */
  readonly #chosen = new Map<string, number>();
  #loop: Promise<void> = Promise.resolve();

  constructor(parts: NodeMembershipParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#clocks = parts.clocks ?? OWN_CLOCKS;
    this.#process = { id: parts.id, incarnation: newId() };
  }

  /**
   * Waits for the lease of an earlier process, and renews this one's from then on.
   * @throws NodeRunsElsewhere where that process lives
   */
  async start(): Promise<void> {
    const until = this.#clocks.steady() + JOIN_MS_MAX;
    for (let tried = 1; !(await this.#renew()); tried++) {
      if (tried === 1) this.#parts.onWait();
      if (this.#clocks.steady() > until) throw await this.#runsElsewhere();
      await sleep(JOIN_RETRY_MS);
    }
    this.#loop = this.#run();
  }

  /** Ends the lease, so that a next process need not wait. Call it when nothing is served any more. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    this.#renewedAt = NEVER;
    await this.#parts.store.leave(this.#process).catch(() => undefined);
  }

  /** Whether this node may serve what it has. */
  isHeld(): boolean {
    return msSince(this.#renewedAt, this.#clocks) < NODE_SERVING_MS;
  }

  /** How long ago the lease was renewed, in milliseconds. */
  leaseAgeMs(): number {
    return this.#clocks.steady() - this.#renewedAt.steady;
  }

  /** As it was a second ago at most where all goes well. */
  find(id: string): Node | undefined {
    return this.#nodes.get(id);
  }

  all(): readonly Node[] {
    return [...this.#nodes.values()];
  }

  /** The node for a new index; null when none takes any. */
  choose(): Node | null {
    const node = chooseNode(this.all(), (id) => this.#chosen.get(id) ?? 0);
    if (node !== null) this.#chosen.set(node.id, (this.#chosen.get(node.id) ?? 0) + 1);
    return node;
  }

  /** Calls the listener with all nodes whenever they were read. */
  listen(listener: (nodes: readonly Node[]) => void): void {
    this.#listeners.add(listener);
  }

  async #runsElsewhere(): Promise<NodeRunsElsewhere> {
    const { store, id } = this.#parts;
    const other = (await store.list()).find((node) => node.id === id);
    return new NodeRunsElsewhere(
      `another process runs as node ${id}, at ${other?.address ?? 'an unknown address'}, seen ${other?.seenAt ?? 'a moment ago'}`,
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      await sleep(RENEWAL_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const isRenewed = await this.#renew().catch((error: unknown) => {
        this.#parts.onFailure(error);
        return null;
      });
      if (isRenewed === false) return this.#parts.onLost();
    }
  }

  async #renew(): Promise<boolean> {
    const { store, address, release, report } = this.#parts;
    const figures = await report();
    // Before the database's clock is read: the lease ends later than what counts from here.
    const askedAt = momentOf(this.#clocks);
    const isHeld = this.isHeld();
    const lease = { ...this.#process, ...figures, address, release, leaseMs: NODE_LEASE_MS, isHeld };
    if (!(await store.renew(lease))) return false;
    // Looked at now, since the lease may have ended while the database did not answer.
    const hasLapsed = Number.isFinite(this.#renewedAt.steady) && !this.isHeld();
    // Others may be taking over what this node has: a renewal in turn waits for their end.
    if (hasLapsed && isHeld) return this.#renew();
    if (hasLapsed) await this.#parts.catchUp();
    this.#renewedAt = askedAt;
    const nodes = await store.list();
    this.#chosen.clear();
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    for (const listener of this.#listeners) listener(nodes);
    return true;
  }
}
