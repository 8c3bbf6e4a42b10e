// The serving thread's end of one engine thread.
import { FAULT_CODEC } from '../../../domain/faults/plain-error.ts';
import type { CallOptions } from '../../../platform/worker-channel/channel.ts';
import { WorkerThread } from '../../../platform/worker-channel/worker-thread.ts';
import type { ThreadNotice, ThreadStart } from './protocol.ts';
import type { EngineMethods } from './thread-methods.ts';

export interface ThreadEvents {
  readonly onNotice: (notice: ThreadNotice) => void;
  /** The thread ended by itself. Nothing of it runs any more. */
  readonly onDeath: (error: Error) => void;
}

export class EngineThread {
  readonly #thread: WorkerThread<EngineMethods, ThreadNotice>;
  #isOnline = false;
  /** Probes in a row that found a thread that has ended and does not leave. */
  #stuckProbes = 0;
  #isProbing = false;

  constructor(entry: URL, start: ThreadStart, { onNotice, onDeath }: ThreadEvents) {
    this.#thread = new WorkerThread(entry, {
      name: 'an engine thread',
      codec: FAULT_CODEC,
      worker: { workerData: start },
      onNotice,
      onEnd: onDeath,
    });
    this.#thread.worker.on('online', () => {
      this.#isOnline = true;
    });
  }

  /** Calls that wait for an answer. */
  get pending(): number {
    return this.#thread.channel.pending;
  }

  /** @throws what the thread threw, Faults as Faults; ChannelEnded when it died before it answered */
  call<Name extends keyof EngineMethods>(
    method: Name,
    request: EngineMethods[Name]['request'],
    options?: CallOptions<EngineMethods[Name]>,
  ): Promise<EngineMethods[Name]['response']> {
    return this.#thread.channel.call(method, request, options);
  }

  /** Lets the thread finish and ends it, whatever comes of its finishing. */
  async close(): Promise<void> {
    await this.#thread.close().catch(() => undefined);
  }

  /** Ends the thread in the middle of whatever it does; `onDeath` follows. */
  kill(): void {
    void this.#thread.terminate();
  }

  /**
   * Looks whether the thread has ended but cannot leave: its exit will never come, and neither will that of the process
   * by `process.exit`, which waits for it.
   * @returns true when two looks in a row found it so
   */
  async isStuck(): Promise<boolean> {
    const { worker, channel } = this.#thread;
    if (!this.#isOnline || channel.hasEnded || this.#isProbing) return false;
    this.#isProbing = true;
    try {
      await worker.getHeapStatistics();
      this.#stuckProbes = 0;
    } catch {
      this.#stuckProbes++;
    } finally {
      this.#isProbing = false;
    }
    return this.#stuckProbes > 1 && !channel.hasEnded;
  }
}
