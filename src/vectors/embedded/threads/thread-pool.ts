// The serving thread's end of the engine threads: starts them, connects them, and matches answers to requests.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { Epochs } from '../memory/epochs.ts';
import { fromPlain } from './plain-error.ts';
import type { ThreadAnswer, ThreadReport, ThreadRequest, ThreadStart } from './protocol.ts';

type RequestBody = ThreadRequest extends infer Request
  ? Request extends unknown
    ? Omit<Request, 'callId'>
    : never
  : never;

export interface ThreadEvents {
  /** A request ended in a plain 500. */
  readonly onReport: (report: ThreadReport) => void;
  /** A thread ended by itself; the process cannot go on safely. */
  readonly onDeath: (error: Error) => void;
}

export class EngineThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<ThreadAnswer>>();
  readonly #events: ThreadEvents;
  #lastCallId = 0;
  #closing = false;
  #ended = false;

  constructor(entry: URL, start: ThreadStart, events: ThreadEvents) {
    this.#events = events;
    this.#worker = new Worker(entry, { workerData: start, transferList: [...start.peers] });
    this.#worker.on('message', (message: ThreadAnswer | ThreadReport) => this.#onMessage(message));
    this.#worker.on('error', (error) =>
      this.#onDeath(error instanceof Error ? error : new Error(String(error))),
    );
    this.#worker.on('exit', () => this.#onDeath(new Error('an engine thread ended')));
  }

  /** Requests that wait for an answer. */
  get pending(): number {
    return this.#pending.size;
  }

  /** @throws what the thread threw; Faults arrive as Faults */
  async ask(request: RequestBody, transfer: readonly ArrayBuffer[] = []): Promise<ThreadAnswer> {
    if (this.#ended) throw new Error('the engine has been closed');
    const callId = ++this.#lastCallId;
    const waiting = Promise.withResolvers<ThreadAnswer>();
    this.#worker.postMessage({ callId, ...request }, [...transfer]);
    this.#pending.set(callId, waiting);
    const answer = await waiting.promise;
    if (answer.type === 'failed') throw fromPlain(answer.error);
    return answer;
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#closing = true;
    await this.ask({ type: 'close' });
    await this.#worker.terminate();
  }

  #onMessage(message: ThreadAnswer | ThreadReport): void {
    if (message.type === 'error') {
      this.#events.onReport(message);
      return;
    }
    this.#pending.get(message.callId)?.resolve(message);
    this.#pending.delete(message.callId);
  }

  #onDeath(error: Error): void {
    this.#ended = true;
    for (const waiting of this.#pending.values()) waiting.reject(error);
    this.#pending.clear();
    if (this.#closing) return;
    this.#closing = true;
    this.#events.onDeath(error);
  }
}

export interface Threads {
  readonly readers: readonly EngineThread[];
  readonly writers: readonly EngineThread[];
}

/** Starts all threads of an engine, each reader connected to each writer. */
export function startThreads(options: {
  readonly dataDir: string;
  readonly readers: { readonly count: number; readonly entry: URL };
  readonly writers: { readonly count: number; readonly entry: URL };
  readonly events: ThreadEvents;
}): Threads {
  const { dataDir, readers, writers, events } = options;
  const epochs = Epochs.allocate(readers.count);
  const channels = Array.from({ length: readers.count }, () =>
    Array.from({ length: writers.count }, () => new MessageChannel()),
  );
  const start = (kind: { entry: URL }, number: number, peers: MessagePort[]): EngineThread =>
    new EngineThread(kind.entry, { dataDir, number, epochs, peers }, events);
  return {
    readers: channels.map((row, i) =>
      start(
        readers,
        i,
        row.map((channel) => channel.port1),
      ),
    ),
    writers: Array.from({ length: writers.count }, (_, j) =>
      start(
        writers,
        j,
        channels.flatMap((row) => row[j]?.port2 ?? []),
      ),
    ),
  };
}
