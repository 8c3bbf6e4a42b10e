// The queue of namespaces to load into memory: a few are loaded at a time, and cold ones are evicted where they do not fit.
import { setTimeout as pause } from 'node:timers/promises';
import { ArenaFull } from '../memory/allocator.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import { type LoaderParts, type LoadRequest, NamespaceLoader } from './namespace-loader.ts';

/** Loads that run at a time. More would finish no sooner, but each pins a snapshot and delays writes by a slice. */
const LOADS_MAX = 4;
/** Until evicted memory is free: longer than a query pins it. */
const EVICTION_PAUSE_MS = 20;

export interface LoadEvents {
  /** Only microtasks run between the loader's last read of the change log and this call, so no commit can intervene. */
  readonly loaded: (namespace: NamespaceSegments, request: LoadRequest) => void;
  readonly failed: (request: LoadRequest, error: unknown) => void;
  /** Evicts something cold for the sake of this namespace. @returns false when nothing is cold */
  readonly evict: (namespaceId: number) => boolean;
}

export class NamespaceLoads {
  readonly #parts: LoaderParts;
  readonly #events: LoadEvents;
  readonly #loaders = new Map<number, NamespaceLoader>();
  /** Loads to start when others are done, by namespace id. */
  readonly #waiting = new Map<number, LoadRequest>();
  #running = 0;
  #isClosed = false;

  constructor(parts: LoaderParts, events: LoadEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Number of the first change log entry that a load still needs; Infinity for none. */
  changesNeededFrom(): number {
    const starts = [...this.#loaders.values()].map((loader) => loader.seq + 1);
    return Math.min(Number.POSITIVE_INFINITY, ...starts);
  }

  /** Starts a load, or queues it, unless one of the same namespace is running. No effect after `close`. */
  start(request: LoadRequest): void {
    const { namespaceId } = request;
    if (this.#isClosed || this.#loaders.has(namespaceId)) return;
    if (this.#running >= LOADS_MAX) {
      this.#waiting.set(namespaceId, request);
      return;
    }
    this.#running++;
    void this.#load(request).finally(() => {
      this.#running--;
      this.#startNext();
    });
  }

  stop(namespaceId: number): void {
    this.#loaders.get(namespaceId)?.stop();
    this.#loaders.delete(namespaceId);
    this.#waiting.delete(namespaceId);
  }

  /** Stops all loads, also those to come; resolves when none uses the index's files any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.stopAll();
    await this.settled();
  }

  stopAll(): void {
    this.#waiting.clear();
    for (const namespaceId of [...this.#loaders.keys()]) this.stop(namespaceId);
  }

  /** True while the namespace is being loaded or queued. */
  has(namespaceId: number): boolean {
    return this.#loaders.has(namespaceId) || this.#waiting.has(namespaceId);
  }

  /** True while any load runs or waits. */
  get isBusy(): boolean {
    return this.#running > 0;
  }

  async settled(): Promise<void> {
    while (this.#running > 0) await new Promise(setImmediate);
  }

  async #load(request: LoadRequest): Promise<void> {
    const { namespaceId } = request;
    for (;;) {
      const loader = new NamespaceLoader(request, this.#parts);
      this.#loaders.set(namespaceId, loader);
      try {
        const namespace = await loader.run();
        if (namespace === null) return;
        if (this.#loaders.get(namespaceId) !== loader) {
          this.#parts.release(namespace);
          return;
        }
        this.#loaders.delete(namespaceId);
        this.#events.loaded(namespace, request);
        return;
      } catch (error) {
        if (this.#loaders.get(namespaceId) !== loader) return;
        const mayEvict = error instanceof ArenaFull && request.isPrefetch !== true;
        if (!mayEvict || !this.#events.evict(namespaceId)) {
          this.#loaders.delete(namespaceId);
          this.#events.failed(request, error);
          return;
        }
      }
      await pause(EVICTION_PAUSE_MS);
      if (this.#loaders.get(namespaceId) !== loader) return;
    }
  }

  #startNext(): void {
    const [next] = this.#waiting.values();
    if (next === undefined) return;
    this.#waiting.delete(next.namespaceId);
    this.start(next);
  }
}
