// The main thread's handle on one engine thread.
import { FAULT_CODEC } from '../../../domain/faults/plain-error.ts';
import type { CallOptions } from '../../../platform/worker-channel/channel.ts';
import { WorkerThread } from '../../../platform/worker-channel/worker-thread.ts';
import type { ThreadNotice, ThreadStart } from './protocol.ts';
import type { EngineMethods } from './thread-methods.ts';

export interface ThreadEvents {
  readonly onNotice: (notice: ThreadNotice) => void;
  /** Called when the thread has ended by itself and no longer runs. */
  readonly onDeath: (error: Error) => void;
}

export class EngineThread {
  readonly #thread: WorkerThread<EngineMethods, ThreadNotice>;
  #isOnline = false;
  /** Consecutive probes that found that the thread has ended but does not exit. */
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

  /** Number of pending calls. */
  get pending(): number {
    return this.#thread.channel.pending;
  }

  /** Calls the thread. @throws what the thread threw, Faults as Faults; ChannelEnded when it died before answering */
  call<Name extends keyof EngineMethods>(
    method: Name,
    request: EngineMethods[Name]['request'],
    options?: CallOptions<EngineMethods[Name]>,
  ): Promise<EngineMethods[Name]['response']> {
    return this.#thread.channel.call(method, request, options);
  }

  /** Lets the thread finish its work, then ends it, even if finishing fails. */
  async close(): Promise<void> {
    await this.#thread.close().catch(() => undefined);
  }

  /** Terminates the thread even in the middle of its work; `onDeath` follows. */
  kill(): void {
    void this.#thread.terminate();
  }

  /**
   * Probes whether the thread has ended but cannot exit. Its exit event never comes then, and `process.exit`, which
   * waits for it, never returns.
   * @returns true when two consecutive probes found it so
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
