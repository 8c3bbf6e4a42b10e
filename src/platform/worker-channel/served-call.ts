// A call seen from the side that serves it: what its handler can say, send and receive before it answers.
import type { Endpoint } from './endpoint.ts';
import { Inbox, Outbox } from './item-stream.ts';
import type { DownloadOf, Method, NoteOf, UploadOf } from './methods.ts';
import { ABORT, type CallerMessage, type CallId, END, ITEM, NOTE, received, USED } from './wire.ts';

/** Everything but the id is made when it is first used: most calls use none of it. */
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

  /** Aborted when the caller gives the call up, or ends. The streams of the call then fail, too. */
  get signal(): AbortSignal {
    return this.#abortController().signal;
  }

  /** Says something of the call ahead of its answer. */
  note(note: NoteOf<Called>): void {
    this.#endpoint.post([NOTE, this.#id, note]);
  }

  /** Resolves when the item is under way, which may have to wait for the caller. @throws when the call was aborted */
  send(item: DownloadOf<Called>, transfer: readonly ArrayBuffer[] = []): Promise<void> {
    return this.#download().send(item, transfer);
  }

  /** The items of the upload, to be read once. @throws when the call was aborted */
  items(): AsyncGenerator<UploadOf<Called>> {
    return this.#upload().items();
  }

  /** Passes on the buffers of items that the caller has used and returned. */
  onReturned(listener: (buffer: ArrayBuffer) => void): void {
    this.#onReturned = listener;
  }

  /** Takes a message of the caller about this call. */
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
