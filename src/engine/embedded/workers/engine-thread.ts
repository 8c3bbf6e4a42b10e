// The main thread's handle on one engine thread.
import { FAULT_CODEC } from '../../../domain/faults/plain-error.ts';
import { activityOf } from '../../../platform/thread-activity.ts';
import type { CallOptions } from '../../../platform/worker-channel/channel.ts';
import { WorkerThread } from '../../../platform/worker-channel/worker-thread.ts';
import type { StartNotice, ThreadNotice, ThreadStart } from './protocol.ts';
import type { EngineMethods } from './thread-methods.ts';

export interface ThreadEvents {
  readonly onNotice: (notice: ThreadNotice) => void;
  /** Called when the thread has ended by itself and no longer runs. */
  readonly onDeath: (error: Error) => void;
}

/** A thread that has ended sleeps so long in one piece only when it waits for itself. */
const ASLEEP_MS_MAX = 5_000;
/** Whatever it does, it has so long for its exit. */
const EXIT_MS_MAX = 120_000;
/** The same where the system does not tell whether it sleeps. */
const UNKNOWN_EXIT_MS_MAX = 30_000;

/** What a thread that was found to have ended has been doing. */
interface Exit {
  readonly activity: string;
  /** Since when it has been doing nothing else, by the clock of performance.now(). */
  readonly activityMs: number;
  /** Since when it is known to have ended. */
  readonly endedMs: number;
}

export class EngineThread {
  readonly #thread: WorkerThread<EngineMethods, ThreadNotice | StartNotice>;
  #isOnline = false;
  #statusFile: string | null = null;
  #exit: Exit | null = null;
  #isProbing = false;

  constructor(entry: URL, start: ThreadStart, { onNotice, onDeath }: ThreadEvents) {
    this.#thread = new WorkerThread(entry, {
      name: 'an engine thread',
      codec: FAULT_CODEC,
      worker: { workerData: start },
      onNotice: (notice) => {
        if (notice.type === 'started') this.#statusFile = notice.statusFile;
        else onNotice(notice);
      },
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
   * waits for it, never returns. An exit that is merely slow, on a busy machine, is told from it by what the thread
   * does.
   * @returns true when it has ended and done nothing for too long
   */
  async isStuck(): Promise<boolean> {
    const { worker, channel } = this.#thread;
    if (!this.#isOnline || channel.hasEnded || this.#isProbing) return false;
    this.#isProbing = true;
    try {
      await worker.getHeapStatistics();
      this.#exit = null;
    } catch {
      const activity = activityOf(this.#statusFile);
      const endedMs = this.#exit?.endedMs ?? performance.now();
      if (activity !== this.#exit?.activity)
        this.#exit = { activity, activityMs: performance.now(), endedMs };
    } finally {
      this.#isProbing = false;
    }
    return this.#exit !== null && !channel.hasEnded && isOverdue(this.#exit);
  }
}

function isOverdue({ activity, activityMs, endedMs }: Exit): boolean {
  const now = performance.now();
  if (now - endedMs >= EXIT_MS_MAX) return true;
  if (activity === 'active') return false;
  return now - activityMs >= (activity === 'unknown' ? UNKNOWN_EXIT_MS_MAX : ASLEEP_MS_MAX);
}
