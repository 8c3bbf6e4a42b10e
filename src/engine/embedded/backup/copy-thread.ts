// The main thread's end of a copying thread.
import type { CallStream } from '../../../platform/worker-channel/call-stream.ts';
import { ChannelEnded } from '../../../platform/worker-channel/errors.ts';
import { WorkerThread } from '../../../platform/worker-channel/worker-thread.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import {
  COPY_CODEC,
  type CopyItem,
  type CopyMethods,
  type CopyResult,
  type CopyTask,
  type OpenedCopy,
} from './protocol.ts';

export const COPYING_THREAD = new URL('./copying-thread-entry.ts', import.meta.url);

export class CopyThread {
  readonly task: CopyTask;
  readonly #thread: WorkerThread<CopyMethods>;
  readonly #call: CallStream<CopyMethods['copy']>;
  readonly #opened = Promise.withResolvers<OpenedCopy>();

  constructor(task: CopyTask) {
    this.task = task;
    this.#thread = new WorkerThread(COPYING_THREAD, {
      name: 'the thread that made the copy',
      codec: COPY_CODEC,
    });
    this.#call = this.#thread.channel.stream('copy', task, {
      onNote: (opened) => this.#opened.resolve(opened),
      bufferToReturn,
    });
    // Callers may or may not wait for them.
    this.#opened.promise.catch(() => undefined);
    this.done.catch((error: unknown) => this.#opened.reject(error));
  }

  /** Resolves when the snapshot is open. Not for imports. */
  get opened(): Promise<OpenedCopy> {
    return this.#opened.promise;
  }

  /** Resolves when the copy is complete. */
  get done(): Promise<CopyResult> {
    return this.#call.response.catch((error: unknown) => {
      throw copyError(error);
    });
  }

  /** Resolves when the thread has ended. Never rejects. */
  get ended(): Promise<void> {
    return this.#thread.ended;
  }

  /** True when the thread has reported a complete copy, even after it was stopped. */
  get isWhole(): boolean {
    return this.#call.isAnswered;
  }

  /** The items of an export. @throws the reason of a failure */
  async *items(): AsyncGenerator<CopyItem> {
    try {
      yield* this.#call.items();
    } catch (error) {
      throw copyError(error);
    }
  }

  /** Sends a chunk to an import. @throws the reason of a failure */
  send(piece: CopyItem, transfer: readonly ArrayBuffer[]): Promise<void> {
    return this.#call.send(piece, transfer);
  }

  /** Call when all chunks of an import have been sent. */
  endOfItems(): void {
    this.#call.end();
  }

  /** Aborts a running copy: `opened`, `done` and `items` fail with the reason. The thread cleans up and ends. */
  stop(reason: unknown): void {
    this.#call.abort(reason);
  }
}

/** Returns the buffers of an export to be filled again, unless the reader has transferred them. */
function bufferToReturn(item: CopyItem): ArrayBuffer | null {
  return item instanceof Uint8Array && !item.buffer.detached ? item.buffer : null;
}

function copyError(error: unknown): unknown {
  if (!(error instanceof ChannelEnded)) return error;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return new CopyFailed('interrupted', `the thread that made the copy died${cause}`);
}
