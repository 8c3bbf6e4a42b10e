// The queues before the engine threads: requests of one index cannot take every place, too many are refused, and what a
// thread died under is asked again where that is safe.
import { fault } from '../../../domain/faults.ts';
import { overloaded } from '../../../domain/overload.ts';
import { writerOf } from './assignment.ts';
import { type OnWait, ThreadEnded } from './engine-thread.ts';
import { PlaceCounts } from './place-counts.ts';
import type { ThreadAnswer } from './protocol.ts';
import { ReadLane } from './read-lane.ts';
import type { ThreadSlot } from './thread-slot.ts';

/** Share of a queue's places that one index may take: the rest is for the other indexes. */
const INDEX_SHARE = 0.75;

export interface QueueBounds {
  /** Requests that may wait for one thread. */
  readonly queueMax: number;
  /** Bytes of bodies that may wait for one writer thread; unbounded by default. */
  readonly queueBytesMax?: number;
}

export class RequestQueues {
  readonly #readers: readonly ThreadSlot[];
  readonly #writers: readonly ThreadSlot[];
  readonly #bounds: QueueBounds;
  readonly #reads = new PlaceCounts();
  readonly #writes = new PlaceCounts();
  readonly #readLane: ReadLane<ThreadSlot>;

  constructor(
    threads: { readonly readers: readonly ThreadSlot[]; readonly writers: readonly ThreadSlot[] },
    bounds: QueueBounds,
  ) {
    this.#readers = threads.readers;
    this.#writers = threads.writers;
    this.#bounds = bounds;
    this.#readLane = new ReadLane(threads.readers, bounds.queueMax * threads.readers.length);
  }

  /** Reads that wait for any reader thread. */
  get waitingReads(): number {
    return this.#readLane.waiting;
  }

  /**
   * Asks a reader thread, and another one once more when the first died.
   * @param ask runs up to twice @throws overloaded, interrupted
   */
  async read(
    indexId: string,
    ask: (slot: ThreadSlot, onWait: OnWait) => Promise<ThreadAnswer>,
  ): Promise<ThreadAnswer> {
    const placesMax = this.#bounds.queueMax * this.#readers.length * INDEX_SHARE;
    const leave = this.#reads.enter(indexId, placesMax);
    try {
      return await this.#readLane.run(ask).catch((error: unknown) => {
        if (!(error instanceof ThreadEnded)) throw error;
        return this.#readLane.run(ask);
      });
    } catch (error) {
      throw error instanceof ThreadEnded ? fault('interrupted') : error;
    } finally {
      leave();
    }
  }

  /**
   * Asks the writer thread of an index, once: only the caller knows whether a write may be done twice.
   * @param isRefusable false for jobs, whose writes wait however many others do @throws overloaded, interrupted
   */
  async write(
    indexId: string,
    ask: (slot: ThreadSlot) => Promise<ThreadAnswer>,
    { isRefusable }: { readonly isRefusable: boolean },
  ): Promise<ThreadAnswer> {
    const { queueMax, queueBytesMax = Number.POSITIVE_INFINITY } = this.#bounds;
    const slot = this.writerOf(indexId);
    if (slot.pendingBytes > queueBytesMax) throw overloaded();
    const leave = this.#writes.enter(indexId, queueMax * INDEX_SHARE);
    try {
      if (isRefusable && slot.pending >= queueMax) throw overloaded();
      return await ask(slot);
    } catch (error) {
      throw error instanceof ThreadEnded ? fault('interrupted') : error;
    } finally {
      leave();
    }
  }

  writerOf(indexId: string): ThreadSlot {
    const slot = this.#writers[writerOf(indexId, this.#writers.length)];
    if (slot === undefined) throw new Error('the engine has no writer threads');
    return slot;
  }
}
