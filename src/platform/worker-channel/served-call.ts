// The serving side of a call: what its handler can notify, send and receive before it answers.
import type { Endpoint } from './endpoint.ts';
import { Inbox, Outbox } from './item-stream.ts';
import type { DownloadOf, Method, NoteOf, UploadOf } from './methods.ts';
import { ABORT, type CallerMessage, type CallId, END, ITEM, NOTE, received, USED } from './wire.ts';

/** Creates everything but the id at its first use, since most calls use none of it. */
export class ServedCall<Called extends Method = Method> {
  readonly #endpoint: Endpoint;
  readonly #id: CallId;
  readonly #itemsAhead: number | undefined;
  #aborting: AbortController | undefined;
  #inbox: Inbox<UploadOf<Called>> | undefined;
  #outbox: Outbox<DownloadOf<Called>> | undefined;
  #onReturned: ((buffer: ArrayBuffer) => void) | undefined;

  constructor(endpoint: Endpoint, id: CallId, itemsAhead: number | undefined) {
    this.#endpoint = endpoint;
    this.#id = id;
    this.#itemsAhead = itemsAhead;
  }

  /** Aborts when the caller aborts the call or ends. The streams of the call fail then, too. */
  get signal(): AbortSignal {
    return this.#abortController().signal;
  }

  /** Sends a note about the call before its answer. */
  note(note: NoteOf<Called>): void {
    this.#endpoint.post([NOTE, this.#id, note]);
  }

  /** Resolves when the item is sent, which may have to wait for the caller. @throws when the call was aborted */
  send(item: DownloadOf<Called>, transfer: readonly ArrayBuffer[] = []): Promise<void> {
    return this.#download().send(item, transfer);
  }

  /** Yields the items of the upload, once. @throws when the call was aborted */
  items(): AsyncGenerator<UploadOf<Called>> {
    return this.#upload().items();
  }

  /** Registers a listener for the buffers of items that the caller has consumed and returned. */
  onReturned(listener: (buffer: ArrayBuffer) => void): void {
    this.#onReturned = listener;
  }

  /** Handles a message of the caller about this call. */
  take(message: CallerMessage): void {
    switch (message[0]) {
      case ABORT:
        this.abort(new Error('the caller has given the call up'));
        break;
      case ITEM:
        this.#upload().push(received(message[2]));
        break;
      case END:
        this.#upload().end();
        break;
      case USED:
        if (message[2] !== null) this.#onReturned?.(message[2]);
        this.#download().more();
        break;
    }
  }

  abort(reason: Error): void {
    this.#abortController().abort(reason);
    this.#upload().fail(reason);
    this.#download().fail(reason);
  }

  #abortController(): AbortController {
    this.#aborting ??= new AbortController();
    return this.#aborting;
  }

  #upload(): Inbox<UploadOf<Called>> {
    this.#inbox ??= new Inbox(() => this.#endpoint.post([USED, this.#id, null]));
    return this.#inbox;
  }

  #download(): Outbox<DownloadOf<Called>> {
    this.#outbox ??= new Outbox(
      (item, transfer) => this.#endpoint.post([ITEM, this.#id, item], transfer),
      this.#itemsAhead,
    );
    return this.#outbox;
  }
}
