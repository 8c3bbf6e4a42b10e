// The queue of reads for all reader threads. Reads wait here instead of at one thread, so that a slow or preempted
// thread delays few of them.
import { overloaded } from '../../../domain/overload.ts';

/** Reads at one thread: the running one and the next, so that the thread never idles between them. */
export const READS_AT_ONCE_MAX = 2;

/** A reader thread and the number of its reads. */
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
   * Runs `work` on a reader with a free slot, in order of arrival. The slot is freed when `work` ends, or earlier by
   * `leave`, when the work waits for something other than its thread.
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

  /** Assigns a read to the reader with the fewest; null when all are full. */
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

  /** Passes the slot directly to the first waiting read, so that no later one overtakes it. */
  #release(load: ReaderLoad<Reader>): void {
    const next = this.#waiting.shift();
    if (next === undefined) load.reads--;
    else next(load);
  }
}
