// The queues of requests for engine threads: no index can fill them alone, excess requests are refused, and requests
// whose thread died are retried where that is safe.
import { fault } from '../../../domain/faults.ts';
import { overloaded } from '../../../domain/overload.ts';
import { SlotCounts } from '../../../platform/slot-counts.ts';
import { ChannelEnded } from '../../../platform/worker-channel/errors.ts';
import { writerOf } from './assignment.ts';
import { ReadQueue } from './read-queue.ts';
import type { ShareName } from './share-table.ts';
import type { Task } from './task.ts';
import type { ThreadSlot } from './thread-slot.ts';

/** Share of a queue that one index may fill; the rest is for the other indexes. */
const INDEX_SHARE = 0.75;
/**
 * A write is refused when the bytes that are left are fewer than this many times its body, or than this share of the
 * bound. So large writes that wait leave space to short ones.
 */
const BODY_RESERVE_FACTOR = 16;
const BODY_RESERVE_SHARE = 0.25;

export interface WriteAdmission {
  /** False for jobs, whose writes wait however long the queue is. */
  readonly isRefusable: boolean;
  /** Of its body; default 0. */
  readonly bytes?: number;
}

/** Called when a read begins to wait in its thread, which runs other reads meanwhile. */
export type OnWait = () => void;

export type QueuedRead = ShareName & Pick<Task, 'isWanted' | 'guessMs' | 'isTelling'>;

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
  readonly #reads = new SlotCounts();
  readonly #writes = new SlotCounts();
  readonly #readQueue: ReadQueue<ThreadSlot>;

  constructor(
    threads: { readonly readers: readonly ThreadSlot[]; readonly writers: readonly ThreadSlot[] },
    bounds: QueueBounds,
  ) {
    this.#readers = threads.readers;
    this.#writers = threads.writers;
    this.#bounds = bounds;
    this.#readQueue = new ReadQueue(threads.readers, {
      waitingMax: bounds.queueMax * threads.readers.length,
    });
  }

  /** Number of reads that wait for a reader thread. */
  get waitingReads(): number {
    return this.#readQueue.waiting;
  }

  /** Milliseconds that the oldest of them has waited; 0 when none waits. */
  get oldestWaitMs(): number {
    return this.#readQueue.oldestMs;
  }

  /**
   * Sends a read to a reader thread, and once more to another one if the first died.
   * @param ask called up to twice @throws overloaded, interrupted, clientGone
   */
  async read<Answer>(
    read: QueuedRead,
    ask: (slot: ThreadSlot, onWait: OnWait) => Promise<Answer>,
  ): Promise<Answer> {
    const slotsMax = this.#bounds.queueMax * this.#readers.length * INDEX_SHARE;
    const leave = this.#reads.enter(read.indexId, slotsMax);
    try {
      return await this.#readQueue.run(read, ask).catch((error: unknown) => {
        if (!(error instanceof ChannelEnded)) throw error;
        return this.#readQueue.run(read, ask);
      });
    } catch (error) {
      throw error instanceof ChannelEnded ? fault('interrupted') : error;
    } finally {
      leave();
    }
  }

  /**
   * Sends a write to the writer thread of an index, once: only the caller knows whether the write may be repeated.
   * @throws overloaded, interrupted
   */
  async write<Answer>(
    indexId: string,
    ask: (slot: ThreadSlot) => Promise<Answer>,
    { isRefusable, bytes = 0 }: WriteAdmission,
  ): Promise<Answer> {
    const { queueMax, queueBytesMax = Number.POSITIVE_INFINITY } = this.#bounds;
    const slot = this.writerOf(indexId);
    const reserved = Math.min(bytes * BODY_RESERVE_FACTOR, queueBytesMax * BODY_RESERVE_SHARE);
    if (slot.pendingBytes + reserved > queueBytesMax) throw overloaded();
    const leave = this.#writes.enter(indexId, queueMax * INDEX_SHARE);
    try {
      if (isRefusable && slot.pending >= queueMax) throw overloaded();
      return await ask(slot);
    } catch (error) {
      throw error instanceof ChannelEnded ? fault('interrupted') : error;
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
