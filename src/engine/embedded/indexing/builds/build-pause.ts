// How builders step back for queries: the serving thread counts requests at reader threads in shared memory, and
// builders rest between steps while that leaves no core for them.
import { availableParallelism } from 'node:os';

/** Number of the word that a resting builder waits on; nothing changes or wakes it. */
const NEVER = 0;
const FIRST_READER = 1;

/**
 * Rest after a step under load, as a multiple of the step's own time, where builders have the same priority as readers:
 * they then take a quarter of the machine instead of half of it.
 */
const REST_SHARE = 2;
/** A step after a long wait for a core is no reason for as long a rest. */
const REST_MS_MAX = 10;

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

  /** Reader threads that have something to do. */
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
  /** Which builder this is, from 0: those of low numbers are the first to use a core that is free. */
  readonly number: number;
  /** True where the system lets readers go first by itself, which was measured to be enough. */
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

  /** A job begins. */
  begin(): void {
    this.#stepBegan = performance.now();
  }

  /** Between two steps: returns at once when a core is free, otherwise after a rest. Never waits for queries to end. */
  rest(): void {
    const { number, stepsBack } = this.#options;
    if (stepsBack) return;
    const tookMs = performance.now() - this.#stepBegan;
    const isCrowded = this.#load.busyReaders() + number >= this.#cores;
    if (isCrowded) this.#load.sleep(Math.min(tookMs * REST_SHARE, REST_MS_MAX));
    this.#stepBegan = performance.now();
  }
}
