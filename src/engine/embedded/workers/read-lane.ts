// The line before the reader threads: reads wait here, not at a thread, so that one that is slow or gets no core holds
// up few of them.
import { overloaded } from '../../../domain/overload.ts';

/** Reads that a thread may have at once: the one it works on and the next, so that it never waits for an answer to be taken. */
export const READS_AT_ONCE_MAX = 2;

/** A reader thread and how many of its places are taken. */
interface Desk<Reader> {
  readonly reader: Reader;
  taken: number;
}

export class ReadLane<Reader> {
  readonly #desks: readonly Desk<Reader>[];
  readonly #waitingMax: number;
  readonly #waiting: ((desk: Desk<Reader>) => void)[] = [];

  /** @param waitingMax reads that may wait for a place */
  constructor(readers: readonly Reader[], waitingMax: number) {
    this.#desks = readers.map((reader) => ({ reader, taken: 0 }));
    this.#waitingMax = waitingMax;
  }

  /** Reads without a place. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs `work` with a reader that has a place, in the order of arrival. The place is another's when `work` ends, or
   * before that by `leave`: for work that has begun to wait for something else than its thread.
   * @throws overloaded when too many wait; what `work` throws
   */
  async run<Result>(work: (reader: Reader, leave: () => void) => Promise<Result>): Promise<Result> {
    const desk = this.#freeDesk() ?? (await this.#turn());
    let holdsPlace = true;
    const leave = () => {
      if (holdsPlace) this.#recycle(desk);
      holdsPlace = false;
    };
    try {
      return await work(desk.reader, leave);
    } finally {
      leave();
    }
  }

  /** Takes a place at the idlest reader, if one has any. */
  #freeDesk(): Desk<Reader> | null {
    const idlest = this.#desks.reduce((best, desk) => (desk.taken < best.taken ? desk : best));
    if (idlest.taken >= READS_AT_ONCE_MAX) return null;
    idlest.taken++;
    return idlest;
  }

  #turn(): Promise<Desk<Reader>> {
    if (this.#waiting.length >= this.#waitingMax) throw overloaded();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The place goes to the first who waits, without being free in between. */
  #recycle(desk: Desk<Reader>): void {
    const next = this.#waiting.shift();
    if (next === undefined) desk.taken--;
    else next(desk);
  }
}
