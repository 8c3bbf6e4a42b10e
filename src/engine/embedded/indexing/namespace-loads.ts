// Brings namespaces into memory, a few at a time, and makes room for them among those that nobody has asked for lately.
import { setTimeout as pause } from 'node:timers/promises';
import { ArenaFull } from '../memory/allocator.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import { type LoaderParts, type LoadRequest, NamespaceLoader } from './namespace-loader.ts';

/** Loaded at a time: more are done no sooner, but each holds a snapshot and makes writes wait for a slice. */
const LOADS_MAX = 4;
/** Until what was dropped for room can be used: longer than a query holds on to memory. */
const ROOM_PAUSE_MS = 20;

export interface LoadEvents {
  /** Called with nothing but microtasks after the loader's last look at the change log: no commit lies between. */
  readonly loaded: (memory: NamespaceSegments, space: LoadRequest) => void;
  readonly failed: (space: LoadRequest, error: unknown) => void;
  /** Drops what is cold to make room for the space. @returns false when nothing is cold */
  readonly makeRoom: (namespaceId: number) => boolean;
}

export class NamespaceLoads {
  readonly #parts: LoaderParts;
  readonly #events: LoadEvents;
  readonly #loaders = new Map<number, NamespaceLoader>();
  /** Spaces to load when others are done. */
  readonly #waiting = new Map<number, LoadRequest>();
  #running = 0;

  constructor(parts: LoaderParts, events: LoadEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** First change log entry that a load still needs; Infinity for none. */
  changesNeededFrom(): number {
    const starts = [...this.#loaders.values()].map((loader) => loader.seq + 1);
    return Math.min(Number.POSITIVE_INFINITY, ...starts);
  }

  /** Loads a space unless that is under way. */
  start(space: LoadRequest): void {
    const { namespaceId } = space;
    if (this.#loaders.has(namespaceId)) return;
    if (this.#running >= LOADS_MAX) {
      this.#waiting.set(namespaceId, space);
      return;
    }
    this.#running++;
    void this.#load(space).finally(() => {
      this.#running--;
      this.#startNext();
    });
  }

  stop(namespaceId: number): void {
    this.#loaders.get(namespaceId)?.stop();
    this.#loaders.delete(namespaceId);
    this.#waiting.delete(namespaceId);
  }

  /** Stops all; resolves when nothing touches the index's files any more. */
  async close(): Promise<void> {
    this.stopAll();
    await this.settled();
  }

  stopAll(): void {
    this.#waiting.clear();
    for (const namespaceId of [...this.#loaders.keys()]) this.stop(namespaceId);
  }

  /** True while it is loaded, or waits for that. */
  has(namespaceId: number): boolean {
    return this.#loaders.has(namespaceId) || this.#waiting.has(namespaceId);
  }

  /** True while any is under way or waits. */
  get isBusy(): boolean {
    return this.#running > 0;
  }

  async settled(): Promise<void> {
    while (this.#running > 0) await new Promise(setImmediate);
  }

  async #load(space: LoadRequest): Promise<void> {
    const { namespaceId } = space;
    for (;;) {
      const loader = new NamespaceLoader(space, this.#parts);
      this.#loaders.set(namespaceId, loader);
      try {
        const memory = await loader.run();
        if (memory === null) return;
        if (this.#loaders.get(namespaceId) !== loader) {
          memory.release();
          return;
        }
        this.#loaders.delete(namespaceId);
        this.#events.loaded(memory, space);
        return;
      } catch (error) {
        if (this.#loaders.get(namespaceId) !== loader) return;
        const mayMakeRoom = error instanceof ArenaFull && space.isPrefetch !== true;
        if (!mayMakeRoom || !this.#events.makeRoom(namespaceId)) {
          this.#loaders.delete(namespaceId);
          this.#events.failed(space, error);
          return;
        }
      }
      await pause(ROOM_PAUSE_MS);
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
