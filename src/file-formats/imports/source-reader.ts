// Runs an import's reading in a thread of its own, bounded in memory and in silence, as seen from the serving thread.
import { Worker } from 'node:worker_threads';
import { SourceProblem, SourceUnavailable } from '../sources/source.ts';
import type { FromReader, ImportEvent, ReaderStart, ToReader } from './messages.ts';

/** What damaged footers can make the Parquet library allocate ends the thread, not the server. */
const HEAP_MEGABYTES_MAX = 384;
/** Without a word, while something is asked for. Storage that does not answer is given up sooner. */
const SILENCE_MS_MAX = 600_000;
/** Batches read ahead of the one being written. */
const AHEAD_BATCHES = 2;

/**
 * The plan, then batch after batch; reading goes on while one is looked at. Ends when all is read.
 * @throws SourceProblem, SourceUnavailable, the signal's reason
 */
export async function* readInThread(start: ReaderStart, signal: AbortSignal): AsyncGenerator<ImportEvent> {
  signal.throwIfAborted();
  const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
    workerData: start,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES_MAX },
  });
  const inbox = new Inbox(worker, signal);
  const more: ToReader = { type: 'more' };
  try {
    for (let i = 0; i < AHEAD_BATCHES; i++) worker.postMessage(more);
    for (;;) {
      const message = await inbox.next();
      if (message.type === 'done') return;
      if (message.type === 'failed') {
        throw message.isForGood ? new SourceProblem(message.message) : new SourceUnavailable(message.message);
      }
      if (message.type === 'alive') continue;
      yield message;
      if (message.type === 'batch') worker.postMessage(more);
    }
  } finally {
    inbox.close();
    await worker.terminate();
  }
}

/** Messages of the thread in the order they came, and whatever ends it. */
class Inbox {
  readonly #messages: FromReader[] = [];
  readonly #signal: AbortSignal;
  #problem: unknown;
  #wake: (() => void) | undefined;

  constructor(worker: Worker, signal: AbortSignal) {
    this.#signal = signal;
    worker.on('message', (message: FromReader) => {
      this.#messages.push(message);
      this.#wake?.();
    });
    worker.on('error', (error) => this.#end(isOutOfMemory(error) ? tooMuch() : error));
    worker.on('exit', () => this.#end(new SourceUnavailable('The reading thread has ended.')));
    signal.addEventListener('abort', this.#onAbort);
  }

  async next(): Promise<FromReader> {
    for (;;) {
      this.#signal.throwIfAborted();
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      if (this.#problem !== undefined) throw this.#problem;
      await this.#word();
    }
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  #word(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () =>
        reject(new SourceProblem('Reading has come to a halt: a file is damaged, or its storage too slow.')),
      SILENCE_MS_MAX,
    );
    this.#wake = resolve;
    return promise.finally(() => clearTimeout(timer));
  }

  readonly #onAbort = (): void => this.#wake?.();

  #end(problem: unknown): void {
    this.#problem ??= problem;
    this.#wake?.();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooMuch(): SourceProblem {
  return new SourceProblem('A file needs too much memory to be read; it is damaged.');
}
