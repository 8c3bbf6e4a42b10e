// Brings namespaces into memory, a few at a time, and makes room for them among those that nobody has asked for lately.
import { setTimeout as pause } from 'node:timers/promises';
import { ArenaFull } from '../memory/allocator.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import { type LoadedSpace, type LoaderParts, NamespaceLoader } from './namespace-loader.ts';

/** Loaded at a time: more are done no sooner, but each holds a snapshot and makes writes wait for a slice. */
const LOADS_MAX = 4;
/** Until what was dropped for room can be used: longer than a query holds on to memory. */
const ROOM_PAUSE_MS = 20;

export interface LoadEvents {
  /** Called with nothing but microtasks after the loader's last look at the change log: no commit lies between. */
  readonly loaded: (memory: NamespaceSegments, space: LoadedSpace) => void;
  readonly failed: (space: LoadedSpace, error: unknown) => void;
  /** Drops what is cold to make room for the space. @returns false when nothing is cold */
  readonly makeRoom: (spaceId: number) => boolean;
}

export class NamespaceLoads {
  readonly #parts: LoaderParts;
  readonly #events: LoadEvents;
  readonly #loaders = new Map<number, NamespaceLoader>();
  /** Spaces to load when others are done. */
  readonly #waiting = new Map<number, LoadedSpace>();
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
  start(space: LoadedSpace): void {
    const { spaceId } = space;
    if (this.#loaders.has(spaceId)) return;
    if (this.#running >= LOADS_MAX) {
      this.#waiting.set(spaceId, space);
      return;
    }
    this.#running++;
    void this.#load(space).finally(() => {
      this.#running--;
      this.#startNext();
    });
  }

  stop(spaceId: number): void {
    this.#loaders.get(spaceId)?.stop();
    this.#loaders.delete(spaceId);
    this.#waiting.delete(spaceId);
  }

  /** Stops all; resolves when nothing touches the index's files any more. */
  async close(): Promise<void> {
    this.stopAll();
    await this.settled();
  }

  stopAll(): void {
    this.#waiting.clear();
    for (const spaceId of [...this.#loaders.keys()]) this.stop(spaceId);
  }

  /** True while it is loaded, or waits for that. */
  has(spaceId: number): boolean {
    return this.#loaders.has(spaceId) || this.#waiting.has(spaceId);
  }

  /** True while any is under way or waits. */
  get isBusy(): boolean {
    return this.#running > 0;
  }

  async settled(): Promise<void> {
    while (this.#running > 0) await new Promise(setImmediate);
  }

  async #load(space: LoadedSpace): Promise<void> {
    const { spaceId } = space;
    for (;;) {
      const loader = new NamespaceLoader(space, this.#parts);
      this.#loaders.set(spaceId, loader);
      try {
        const memory = await loader.run();
        if (memory === null) return;
        if (this.#loaders.get(spaceId) !== loader) {
          memory.release();
          return;
        }
        this.#loaders.delete(spaceId);
        this.#events.loaded(memory, space);
        return;
      } catch (error) {
        if (this.#loaders.get(spaceId) !== loader) return;
        const mayMakeRoom = error instanceof ArenaFull && space.isAhead !== true;
        if (!mayMakeRoom || !this.#events.makeRoom(spaceId)) {
          this.#loaders.delete(spaceId);
          this.#events.failed(space, error);
          return;
        }
      }
      await pause(ROOM_PAUSE_MS);
      if (this.#loaders.get(spaceId) !== loader) return;
    }
  }

  #startNext(): void {
    const [next] = this.#waiting.values();
    if (next === undefined) return;
    this.#waiting.delete(next.spaceId);
    this.start(next);
  }
}
