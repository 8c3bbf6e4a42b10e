// The serving thread's end of a copying thread.
import { Worker } from 'node:worker_threads';
import { Inbox, Outbox } from '../../../platform/worker-channel/item-stream.ts';
import { CopyFailed } from '../../port/copy-failed.ts';
import type { CopyFacts } from '../../port/index-copies.ts';
import {
  type CopyItem,
  type CopyNews,
  type CopyOrder,
  type CopyResult,
  type CopyTask,
  fromPlainCopy,
} from './protocol.ts';

const ENTRY = new URL('./copying-thread-entry.ts', import.meta.url);

export interface OpenedCopy {
  readonly facts: CopyFacts;
  readonly bytesExpected: number;
}

export class CopyThread {
  readonly task: CopyTask;
  /** What an import sends. */
  readonly outbox: Outbox<CopyItem>;
  readonly #worker: Worker;
  readonly #inbox: Inbox<CopyItem>;
  readonly #opened = Promise.withResolvers<OpenedCopy>();
  readonly #done = Promise.withResolvers<CopyResult>();
  readonly #ended = Promise.withResolvers<void>();
  #failure: { readonly error: unknown } | null = null;
  #isWhole = false;

  constructor(task: CopyTask) {
    this.task = task;
    this.#worker = new Worker(ENTRY, { workerData: task });
    this.outbox = new Outbox((item, transfer) =>
      this.#worker.postMessage({ type: 'item', item }, [...transfer]),
    );
    this.#inbox = new Inbox((item) => this.#more(item));
    // Whoever waits gets to know; nobody has to.
    for (const { promise } of [this.#opened, this.#done]) promise.catch(() => undefined);
    this.#worker.on('message', (news: CopyNews) => this.#onNews(news));
    this.#worker.on('error', (error) => this.#fail(diedOf(error)));
    this.#worker.on('exit', () => {
      this.#fail(diedOf(null));
      this.#ended.resolve();
    });
  }

  /** Resolves when the snapshot is open. Not for imports. */
  get opened(): Promise<OpenedCopy> {
    return this.#opened.promise;
  }

  /** Resolves when the copy is whole. */
  get done(): Promise<CopyResult> {
    return this.#done.promise;
  }

  /** Resolves when nothing of the thread is left. Never rejects. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** True when the thread has told that the copy is whole, even after it was to give up. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** What an export sends. @throws why it failed */
  items(): AsyncGenerator<CopyItem> {
    return this.#inbox.items();
  }

  /** An import has been sent whole. */
  endOfItems(): void {
    this.#order({ type: 'end' });
  }

  /** Gives up, unless it is over: `opened`, `done` and `items` fail with the reason. The thread cleans up and ends. */
  stop(reason: unknown): void {
    this.#order({ type: 'stop' });
    this.#fail(reason);
  }

  /** The buffers of an export go back to be filled again, unless the reader has moved them on. */
  #more(item: CopyItem): void {
    const used = item instanceof Uint8Array && !item.buffer.detached ? item.buffer : null;
    if (used === null) this.#order({ type: 'more' });
    else this.#worker.postMessage({ type: 'more', used } satisfies CopyOrder, [used]);
  }

  #order(order: CopyOrder): void {
    this.#worker.postMessage(order);
  }

  #onNews(news: CopyNews): void {
    switch (news.type) {
      case 'item':
        if (this.#failure === null) this.#inbox.push(news.item);
        break;
      case 'more':
        this.outbox.more();
        break;
      case 'opened':
        this.#opened.resolve(news);
        break;
      case 'done':
        this.#isWhole = true;
        this.#done.resolve(news);
        this.#inbox.end();
        break;
      case 'failed':
        this.#fail(fromPlainCopy(news.error));
        break;
    }
  }

  /** The first reason stands. */
  #fail(error: unknown): void {
    if (this.#failure !== null) return;
    this.#failure = { error };
    this.#opened.reject(error);
    this.#done.reject(error);
    this.#inbox.fail(error);
    this.outbox.fail(error);
  }
}

function diedOf(error: unknown): CopyFailed {
  const cause = error instanceof Error ? `: ${error.message}` : '';
  return new CopyFailed('interrupted', `the thread that made the copy died${cause}`);
}
