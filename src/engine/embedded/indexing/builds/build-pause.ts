// How builders yield to queries: the main thread counts the requests of reader threads in shared memory, and builders
// pause between steps while those leave no core for them.
import { availableParallelism } from 'node:os';

/** Index of the word that a pausing builder waits on; nothing changes or wakes it. */
const NEVER = 0;
const FIRST_READER = 1;

/**
 * Pause after a step under load, as a multiple of the step's time, where builders have the priority of readers: builders
 * then use a quarter of the machine instead of half of it.
 */
const PAUSE_FACTOR = 2;
/** Limits the pause after a step that had to wait for a core. */
const PAUSE_MS_MAX = 10;

/** Requests that wait for each reader thread or run there. */
export class QueryLoad {
  readonly #words: Int32Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer);
  }

  static allocate(readers: number): SharedArrayBuffer {
    return new SharedArrayBuffer(4 * (FIRST_READER + readers));
  }

  /** Serving thread only. */
  set(reader: number, requests: number): void {
    Atomics.store(this.#words, FIRST_READER + reader, requests);
  }

  /** Number of reader threads that have requests. */
  busyReaders(): number {
    let busy = 0;
    for (let i = FIRST_READER; i < this.#words.length; i++) if (Atomics.load(this.#words, i) > 0) busy++;
    return busy;
  }

  /** Blocks the calling thread. */
  sleep(ms: number): void {
    Atomics.wait(this.#words, NEVER, 0, ms);
  }
}

export interface PauseOptions {
  /** Number of this builder, from 0: builders of low numbers are the first to use a free core. */
  readonly number: number;
  /** True where the system gives readers priority, which measurements showed to be enough. */
  readonly stepsBack: boolean;
  readonly cores?: number;
}

export class BuildPause {
  readonly #load: QueryLoad;
  readonly #options: PauseOptions;
  readonly #cores: number;
  #stepBegan = 0;

  constructor(load: QueryLoad, options: PauseOptions) {
    this.#load = load;
    this.#options = options;
    this.#cores = options.cores ?? availableParallelism();
  }

  /** Call when a job begins. */
  begin(): void {
    this.#stepBegan = performance.now();
  }

  /** Call between two steps: returns at once if a core is free, otherwise after a pause. Never waits for queries to end. */
  pause(): void {
    const { number, stepsBack } = this.#options;
    if (stepsBack) return;
    const tookMs = performance.now() - this.#stepBegan;
    const isCrowded = this.#load.busyReaders() + number >= this.#cores;
    if (isCrowded) this.#load.sleep(Math.min(tookMs * PAUSE_FACTOR, PAUSE_MS_MAX));
    this.#stepBegan = performance.now();
  }
}
