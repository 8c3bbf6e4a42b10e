// The serving thread's end of one engine thread: starts it, matches answers to requests, and notices its end.
import { type Transferable, Worker } from 'node:worker_threads';
import { fromPlain } from '../../../domain/faults/plain-error.ts';
import type {
  AbandonRequest,
  ThreadAnswer,
  ThreadMessage,
  ThreadReport,
  ThreadRequest,
  ThreadStart,
} from './protocol.ts';

export type RequestBody = ThreadRequest extends infer Request
  ? Request extends unknown
    ? Omit<Request, 'callId'>
    : never
  : never;

/** Called when a request begins to wait in its thread, which takes up others meanwhile. */
export type OnWait = () => void;

interface Asked extends PromiseWithResolvers<ThreadAnswer> {
  readonly onWait: OnWait | undefined;
}

/** The thread died before it answered: what was asked may have been done or not. */
export class ThreadEnded extends Error {}

export interface ThreadEvents {
  readonly onMessage: (message: ThreadReport | AbandonRequest) => void;
  /** The thread ended by itself. Nothing of it runs any more. */
  readonly onDeath: (error: Error) => void;
}

export class EngineThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Asked>();
  readonly #events: ThreadEvents;
  #lastCallId = 0;
  #isOnline = false;
  #error: Error | null = null;
  #closing = false;
  #ended = false;
  /** Probes in a row that found a thread that has ended and does not leave. */
  #stuckProbes = 0;
  #isProbing = false;

  constructor(entry: URL, start: ThreadStart, events: ThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(entry, { workerData: start });
    this.#worker.on('message', (message: ThreadMessage) => this.#onMessage(message));
    this.#worker.on('online', () => {
      this.#isOnline = true;
    });
    this.#worker.on('error', (error) => {
      this.#error = error instanceof Error ? error : new Error(String(error));
    });
    // Not at the error: only now has the thread let go of its files and locks.
    this.#worker.on('exit', () => this.#onExit());
  }

  /** Requests that wait for an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /** @throws what the thread threw, Faults as Faults; ThreadEnded */
  async ask(
    request: RequestBody,
    transfer: readonly Transferable[] = [],
    onWait?: OnWait,
  ): Promise<ThreadAnswer> {
    if (this.#closing) throw new Error('the engine has been closed');
    if (this.#ended) throw this.#endedError();
    const callId = ++this.#lastCallId;
    const asked = { ...Promise.withResolvers<ThreadAnswer>(), onWait };
    this.#worker.postMessage({ callId, ...request }, transfer);
    this.#pending.set(callId, asked);
    const answer = await asked.promise;
    if (answer.type === 'failed') throw fromPlain(answer.error);
    return answer;
  }

  /** Lets the thread finish and ends it. */
  async close(): Promise<void> {
    if (this.#ended || this.#closing) return;
    const closed = this.ask({ type: 'close' });
    this.#closing = true;
    // Its death on the way is as good.
    await closed.catch(() => undefined);
    await this.#worker.terminate();
  }

  /** Ends the thread in the middle of whatever it does; `onDeath` follows. */
  kill(): void {
    void this.#worker.terminate();
  }

  /**
   * Looks whether the thread has ended but cannot leave: its exit will never come, and neither will that of the process
   * by `process.exit`, which waits for it.
   * @returns true when two looks in a row found it so
   */
  async isStuck(): Promise<boolean> {
    if (!this.#isOnline || this.#ended || this.#isProbing) return false;
    this.#isProbing = true;
    try {
      await this.#worker.getHeapStatistics();
      this.#stuckProbes = 0;
    } catch {
      this.#stuckProbes++;
    } finally {
      this.#isProbing = false;
    }
    return this.#stuckProbes > 1 && !this.#ended;
  }

  #onMessage(message: ThreadMessage): void {
    if ('callId' in message) {
      this.#pending.get(message.callId)?.resolve(message);
      this.#pending.delete(message.callId);
    } else if (message.type === 'waits') this.#pending.get(message.waitingCallId)?.onWait?.();
    else this.#events.onMessage(message);
  }

  #endedError(): ThreadEnded {
    const cause = this.#error ?? new Error('it was terminated');
    return new ThreadEnded(`an engine thread ended: ${cause.message}`, { cause });
  }

  #onExit(): void {
    this.#ended = true;
    const error = this.#endedError();
    for (const asked of this.#pending.values()) asked.reject(error);
    this.#pending.clear();
    if (!this.#closing) this.#events.onDeath(error);
  }
}
