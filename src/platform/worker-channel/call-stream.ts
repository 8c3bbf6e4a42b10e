// The caller's side of a call that sends or receives items while it runs.
import type { Transferable } from 'node:worker_threads';
import { Inbox, Outbox } from './item-stream.ts';
import type { DownloadOf, Method, NoteOf, UploadOf } from './methods.ts';
import type { PendingCall } from './pending-call.ts';
import { ABORT, type CallerMessage, type CallId, END, ITEM, received, USED } from './wire.ts';

export interface StreamOptions<Called> {
  readonly onNote?: (note: NoteOf<Called>) => void;
  /** Aborts the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Items of the upload in flight; default ITEMS_AHEAD. */
  readonly itemsAhead?: number;
  /** Returns the buffer of a consumed item, which is sent back for reuse; null for none. */
  readonly bufferToReturn?: (item: DownloadOf<Called>) => ArrayBuffer | null;
}

type Post = (message: CallerMessage, transfer?: readonly Transferable[]) => void;

export class CallStream<Called extends Method> implements PendingCall {
  readonly #id: CallId;
  readonly #post: Post;
  readonly #options: StreamOptions<Called>;
  readonly #response = Promise.withResolvers<Called['response']>();
  readonly #inbox: Inbox<DownloadOf<Called>>;
  readonly #outbox: Outbox<UploadOf<Called>>;
  readonly #onSignal = (): void => this.abort(this.#options.signal?.reason);
  #isAnswered = false;
  #isOver = false;

  constructor(id: CallId, post: Post, options: StreamOptions<Called>) {
    this.#id = id;
    this.#post = post;
    this.#options = options;
    this.#inbox = new Inbox((item) => this.#onUsed(item));
    this.#outbox = new Outbox((item, transfer) => post([ITEM, id, item], transfer), options.itemsAhead);
    // Waiting callers receive the failure, but there may be none.
    this.#response.promise.catch(() => undefined);
    options.signal?.addEventListener('abort', this.#onSignal, { once: true });
  }

  /** @throws what the method threw; the reason of `abort`; ChannelEnded */
  get response(): Promise<Called['response']> {
    return this.#response.promise;
  }

  /** True once the serving side has answered, even when the caller had aborted the call by then. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Yields the items of the download, once. Leaving the loop early aborts the call. @throws as `response` does */
  async *items(): AsyncGenerator<DownloadOf<Called>> {
    try {
      yield* this.#inbox.items();
    } finally {
      this.abort(new Error('the items were not read to the end'));
    }
  }

  /** Resolves when the item is sent, which may have to wait for the receiver. @throws as `response` does */
  send(item: UploadOf<Called>, transfer: readonly ArrayBuffer[] = []): Promise<void> {
    return this.#outbox.send(item, transfer);
  }

  /** Ends the upload. */
  end(): void {
    this.#post([END, this.#id]);
  }

  /** Fails all waiting callers with the reason, and notifies the serving side. No effect on a finished call. */
  abort(reason: unknown): void {
    if (this.#isOver) return;
    this.#post([ABORT, this.#id]);
    this.#fail(reason);
  }

  answer(response: Called['response']): void {
    this.#isAnswered = true;
    this.#end();
    this.#response.resolve(response);
    this.#inbox.end();
    this.#outbox.fail(new Error('the call has been answered'));
  }

  fail(error: Error): void {
    this.#fail(error);
  }

  note(note: unknown): void {
    this.#options.onNote?.(received(note));
  }

  item(item: unknown): void {
    this.#inbox.push(received(item));
  }

  used(): void {
    this.#outbox.more();
  }

  #onUsed(item: DownloadOf<Called>): void {
    const buffer = this.#options.bufferToReturn?.(item) ?? null;
    this.#post([USED, this.#id, buffer], buffer === null ? [] : [buffer]);
  }

  /** Only the first reason counts. */
  #fail(reason: unknown): void {
    this.#end();
    this.#response.reject(reason);
    this.#inbox.fail(reason);
    this.#outbox.fail(reason);
  }

  #end(): void {
    this.#isOver = true;
    this.#options.signal?.removeEventListener('abort', this.#onSignal);
  }
}
