// The queue before the reader threads. Reads wait here rather than at one thread, so that a slow thread, or one without
// a core, delays few of them.
import { overloaded } from '../../../domain/overload.ts';

/** Reads a thread may have at once: the one it works on and the next, so that it never idles between two. */
export const READS_AT_ONCE_MAX = 2;

/** A reader thread and its reads under way. */
interface ReaderLoad<Reader> {
  readonly reader: Reader;
  reads: number;
}

export class ReadQueue<Reader> {
  readonly #loads: readonly ReaderLoad<Reader>[];
  readonly #waitingMax: number;
  readonly #waiting: ((load: ReaderLoad<Reader>) => void)[] = [];

  /** @param waitingMax reads that may wait for a reader */
  constructor(readers: readonly Reader[], waitingMax: number) {
    this.#loads = readers.map((reader) => ({ reader, reads: 0 }));
    this.#waitingMax = waitingMax;
  }

  /** Reads that wait for a reader. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs `work` with a reader that has capacity, in the order of arrival. The capacity is freed when `work` ends, or
   * earlier by `leave`: for work that has begun to wait for something other than its thread.
   * @throws overloaded when too many wait; what `work` throws
   */
  async run<Result>(work: (reader: Reader, leave: () => void) => Promise<Result>): Promise<Result> {
    const load = this.#startOnIdlest() ?? (await this.#turn());
    let isCounted = true;
    const leave = () => {
      if (isCounted) this.#release(load);
      isCounted = false;
    };
    try {
      return await work(load.reader, leave);
    } finally {
      leave();
    }
  }

  /** Counts a read at the idlest reader; null when all are full. */
  #startOnIdlest(): ReaderLoad<Reader> | null {
    const idlest = this.#loads.reduce((best, load) => (load.reads < best.reads ? load : best));
    if (idlest.reads >= READS_AT_ONCE_MAX) return null;
    idlest.reads++;
    return idlest;
  }

  #turn(): Promise<ReaderLoad<Reader>> {
    if (this.#waiting.length >= this.#waitingMax) throw overloaded();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the capacity straight to the first read that waits, so that no later one overtakes it. */
  #release(load: ReaderLoad<Reader>): void {
    const next = this.#waiting.shift();
    if (next === undefined) load.reads--;
    else next(load);
  }
}
