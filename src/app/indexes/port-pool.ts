// Chooses the port of an index: its earlier one, else a fresh one, else the longest unused.
import type { PortGrant } from '../../catalog/port.ts';
import { fault } from '../../domain/faults.ts';

/** Inclusive. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const WIDEN_RANGE = 'widen PINYON_INDEX_PORTS';
const RAISE_LIMIT = 'let the server open more files (ulimit -n, LimitNOFILE), of which they take an eighth';

export type PortOwner = Pick<PortGrant, 'projectId' | 'indexName'>;

/**
 * Clients may still have the address of a deleted index, so a port goes to another name
 * only when no fresh one is left.
 */
export class PortPool {
  readonly #range: PortRange;
  readonly #portsMax: number;
  /** Owner of each port ever granted, oldest grant first. */
  readonly #owners = new Map<number, PortOwner>();
  readonly #held = new Set<number>();

  /** @param portsMax how many new indexes may find open, those of deleted ones included; default all of the range */
  constructor(range: PortRange, grants: readonly PortGrant[], portsMax = Number.POSITIVE_INFINITY) {
    this.#range = range;
    this.#portsMax = portsMax;
    for (const { port, projectId, indexName } of grants) this.#owners.set(port, { projectId, indexName });
  }

  /** Takes a port for a new index, never one of `refused`. @throws index-ports-exhausted */
  take(owner: PortOwner, refused: ReadonlySet<number> = new Set()): number {
    if (this.#held.size >= this.#portsMax)
      throw fault('index-ports-exhausted', { count: this.#portsMax, remedy: RAISE_LIMIT });
    return this.#choose(owner, refused, this.#portsMax);
  }

  /** Takes a port for an index that exists: only the range bounds these. @throws index-ports-exhausted */
  takeForExisting(owner: PortOwner): number {
    return this.#choose(owner, new Set(), Number.POSITIVE_INFINITY);
  }

  /** Marks the port of an existing index as taken. */
  hold(port: number): void {
    this.#held.add(port);
  }

  /** Frees a port that the owner never learned. */
  release(port: number): void {
    this.#held.delete(port);
  }

  /** Frees a port that clients may know as the owner's. */
  retire(port: number, owner: PortOwner): void {
    this.#held.delete(port);
    // Delete first, so that the port moves behind those unused for longer.
    this.#owners.delete(port);
    this.#owners.set(port, owner);
  }

  /** True for a port in the range of the settings. */
  contains(port: number): boolean {
    return port >= this.#range.first && port <= this.#range.last;
  }

  #choose(owner: PortOwner, refused: ReadonlySet<number>, portsMax: number): number {
    const usable = (port: number): boolean =>
      this.contains(port) && !this.#held.has(port) && !refused.has(port);
    const granted = [...this.#owners.keys()].filter(usable);
    const port =
      granted.find((one) => this.#belongsTo(one, owner)) ?? this.#fresh(usable, portsMax) ?? granted[0];
    if (port === undefined) {
      const count = this.#range.last - this.#range.first + 1;
      throw fault('index-ports-exhausted', { count, remedy: WIDEN_RANGE });
    }
    this.#held.add(port);
    return port;
  }

  #fresh(usable: (port: number) => boolean, portsMax: number): number | undefined {
    // Ports of an earlier range are granted no more; those that indexes still have are held.
    const granted = [...this.#owners.keys()].filter((port) => this.contains(port));
    if (new Set([...granted, ...this.#held]).size >= portsMax) return undefined;
    for (let port = this.#range.first; port <= this.#range.last; port += 1) {
      if (!this.#owners.has(port) && usable(port)) return port;
    }
    return undefined;
  }

  #belongsTo(port: number, { projectId, indexName }: PortOwner): boolean {
    const owner = this.#owners.get(port);
    return owner?.projectId === projectId && owner.indexName === indexName;
  }
}
