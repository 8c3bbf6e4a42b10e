// A thread that computes for a model: started when first needed, and again after it died.
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ProviderTrouble, TooLong } from '../trouble.ts';
import type { ThreadFailure, ThreadMessage, ThreadRequest } from './protocol.ts';

export interface ModelThreadOptions {
  /** A file that calls `serveThread`. */
  readonly entry: URL;
  /** Handed to it as `workerData`. */
  readonly data: unknown;
}

interface Call {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Running {
  readonly worker: Worker;
  /** Resolves to what the thread says of its start. */
  readonly started: Promise<unknown>;
  readonly calls: Map<number, Call>;
}

export class ModelThread {
  readonly #options: ModelThreadOptions;
  #running: Running | undefined;
  #firstFacts: { readonly facts: unknown } | undefined;
  #lastCallId = 0;
  #closing: Promise<unknown> | undefined;

  constructor(options: ModelThreadOptions) {
    this.#options = options;
  }

  /** Starts the thread unless it runs. @throws ProviderTrouble with the reason when it cannot start */
  start(): Promise<unknown> {
    return this.#thread().started;
  }

  /** @throws TooLong; ProviderTrouble when the thread cannot start, dies or fails */
  async call(request: unknown): Promise<unknown> {
    const thread = this.#thread();
    await thread.started;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const callId = ++this.#lastCallId;
    thread.calls.set(callId, { resolve, reject });
    // A thread that has work keeps the process alive, one that waits does not.
    thread.worker.ref();
    const message: ThreadRequest = { callId, request };
    thread.worker.postMessage(message);
    return await promise;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#running?.worker.terminate() ?? Promise.resolve();
    await this.#closing;
  }

  #thread(): Running {
    if (this.#closing !== undefined) throw new ProviderTrouble('broken', 'the server is stopping');
    this.#running ??= this.#begin();
    return this.#running;
  }

  #begin(): Running {
    const worker = new Worker(this.#options.entry, { workerData: this.#options.data });
    const calls = new Map<number, Call>();
    const { promise: started, resolve, reject } = Promise.withResolvers<unknown>();
    // Whoever waits for the start hears of its failure; nobody may be waiting.
    started.catch(() => {});
    const running: Running = { worker, started, calls };
    const end = (reason: string) => {
      if (this.#running === running) this.#running = undefined;
      const trouble = new ProviderTrouble('down', reason);
      reject(trouble);
      for (const call of calls.values()) call.reject(trouble);
      calls.clear();
    };
    worker.on('message', (message: ThreadMessage) => {
      if (message.type === 'started' && this.#isAsBefore(message.facts)) {
        resolve(message.facts);
        worker.unref();
      } else if (message.type === 'started') {
        end('its files have changed since the server was started');
        void worker.terminate();
      } else if (message.type === 'not-started') {
        end(message.reason);
        void worker.terminate();
      } else settle(running, message);
    });
    worker.on('error', (error) =>
      end(`its thread failed: ${error instanceof Error ? error.message : error}`),
    );
    worker.on('exit', () => end('its thread ended'));
    return running;
  }

  /** What was said of a model at the start stays true: another one would mix its vectors with those there are. */
  #isAsBefore(facts: unknown): boolean {
    this.#firstFacts ??= { facts };
    return isDeepStrictEqual(facts, this.#firstFacts.facts);
  }
}

function settle(
  { worker, calls }: Running,
  message: Extract<ThreadMessage, { readonly type: 'answer' | 'failure' }>,
): void {
  const call = calls.get(message.callId);
  calls.delete(message.callId);
  if (calls.size === 0) worker.unref();
  if (message.type === 'answer') call?.resolve(message.answer);
  else call?.reject(errorOf(message.failure));
}

function errorOf(failure: ThreadFailure): Error {
  if (failure.kind === 'too-long') return new TooLong(failure.position, failure);
  return new ProviderTrouble('broken', failure.reason);
}
