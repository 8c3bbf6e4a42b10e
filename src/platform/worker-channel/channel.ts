// The calling side of a channel: sends calls, matches answers to them, and fails them all when the other side ends.
import type { Transferable } from 'node:worker_threads';
import { CallStream, type StreamOptions } from './call-stream.ts';
import type { Endpoint } from './endpoint.ts';
import { ChannelClosed, ChannelEnded, type ErrorCodec, TEXT_CODEC } from './errors.ts';
import type { MethodMap, NoteOf } from './methods.ts';
import { type PendingCall, PlainCall, type Settle } from './pending-call.ts';
import { warnAgain } from './warnings.ts';
import {
  ABORT,
  ANSWER,
  CALL,
  type CallerMessage,
  type CallId,
  CLOSE,
  FAILURE,
  ITEM,
  NOTE,
  NOTICE,
  received,
  type ServerMessage,
  USED,
  WARNING,
} from './wire.ts';

export interface ChannelOptions<Received = never> {
  /** Name of the other side in errors, such as "an engine thread". */
  readonly name: string;
  /** Both sides must use the same codec; default TEXT_CODEC. */
  readonly codec?: ErrorCodec;
  /** Called with messages that belong to no call. */
  readonly onNotice?: (notice: Received) => void;
  /** Called with the number of pending calls whenever it changes. */
  readonly onPending?: (calls: number) => void;
  /** Called once when the other side ends by itself, after all calls have failed. */
  readonly onEnd?: (error: ChannelEnded) => void;
}

export interface CallOptions<Called> {
  readonly transfer?: readonly Transferable[];
  readonly onNote?: (note: NoteOf<Called>) => void;
  /** Fails the call with the signal's reason, and notifies the serving side. */
  readonly signal?: AbortSignal | undefined;
}

/** `Received` and `Sent` are the notices of either direction. */
export class Channel<Methods extends MethodMap<Methods>, Received = never, Sent = never> {
  readonly #endpoint: Endpoint;
  readonly #options: ChannelOptions<Received>;
  readonly #codec: ErrorCodec;
  readonly #calls = new Map<CallId, PendingCall>();
  #lastId: CallId = 0;
  #closing: Promise<void> | null = null;
  #ended: ChannelEnded | null = null;

  constructor(endpoint: Endpoint, options: ChannelOptions<Received>) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#codec = options.codec ?? TEXT_CODEC;
    endpoint.onMessage((message) => this.#onMessage(received<ServerMessage>(message)));
    endpoint.onEnd((cause) => this.#onEnd(cause));
  }

  /** Number of pending calls. */
  get pending(): number {
    return this.#calls.size;
  }

  /** True when the other side has ended. */
  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Calls start in this order. @throws what the method threw; ChannelEnded; ChannelClosed; the signal's reason */
  call<Name extends keyof Methods & string>(
    method: Name,
    request: Methods[Name]['request'],
    { transfer, onNote, signal }: CallOptions<Methods[Name]> = {},
  ): Promise<Methods[Name]['response']> {
    return new Promise((resolve, reject) => {
      this.#assertOpen();
      signal?.throwIfAborted();
      const id = ++this.#lastId;
      this.#post([CALL, id, method, request], transfer);
      const settle = { resolve, reject };
      this.#add(
        id,
        new PlainCall(signal === undefined ? settle : this.#abortable(id, settle, signal), onNote),
      );
    });
  }

  /** Starts a call that sends or receives items. @throws ChannelEnded; ChannelClosed; the signal's reason */
  stream<Name extends keyof Methods & string>(
    method: Name,
    request: Methods[Name]['request'],
    options: StreamOptions<Methods[Name]> = {},
  ): CallStream<Methods[Name]> {
    this.#assertOpen();
    options.signal?.throwIfAborted();
    const id = ++this.#lastId;
    const call = new CallStream<Methods[Name]>(
      id,
      (message, transfer) => this.#post(message, transfer),
      options,
    );
    this.#post([CALL, id, method, request]);
    this.#add(id, call);
    return call;
  }

  /** Sends a message that needs no answer. No effect when the other side has ended. */
  notify(notice: Sent, transfer?: readonly Transferable[]): void {
    this.#post([NOTICE, notice], transfer);
  }

  /** Lets the other side finish or end, then closes the connection. @throws what finishing threw */
  close(): Promise<void> {
    this.#closing ??= this.#ended === null ? this.#close() : Promise.resolve();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#post([CLOSE, id]);
    this.#add(id, new PlainCall({ resolve, reject }, undefined));
    try {
      await promise;
    } catch (error) {
      if (!(error instanceof ChannelEnded)) throw error;
    } finally {
      this.#endpoint.close();
    }
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw new ChannelClosed(this.#options.name);
    if (this.#ended !== null) throw this.#ended;
  }

  #post(message: CallerMessage, transfer?: readonly Transferable[]): void {
    this.#endpoint.post(message, transfer);
  }

  #add(id: CallId, call: PendingCall): void {
    this.#calls.set(id, call);
    this.#options.onPending?.(this.#calls.size);
  }

  /** An aborted call counts as pending until it is answered, since the other side still works on it. */
  #abortable(id: CallId, { resolve, reject }: Settle, signal: AbortSignal): Settle {
    const abort = () => {
      this.#post([ABORT, id]);
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    const over = () => signal.removeEventListener('abort', abort);
    return {
      resolve: (response) => {
        over();
        resolve(response);
      },
      reject: (error) => {
        over();
        reject(error);
      },
    };
  }

  #onMessage(message: ServerMessage): void {
    switch (message[0]) {
      case ANSWER:
        this.#take(message[1])?.answer(message[2]);
        break;
      case FAILURE:
        this.#take(message[1])?.fail(this.#codec.decode(message[2]));
        break;
      case NOTE:
        this.#calls.get(message[1])?.note(message[2]);
        break;
      case ITEM:
        this.#calls.get(message[1])?.item(message[2]);
        break;
      case USED:
        this.#calls.get(message[1])?.used();
        break;
      case NOTICE:
        this.#options.onNotice?.(received(message[1]));
        break;
      case WARNING:
        warnAgain(message[1]);
        break;
    }
  }

  #take(id: CallId): PendingCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    this.#options.onPending?.(this.#calls.size);
    return call;
  }

  #onEnd(cause: Error | undefined): void {
    const error = new ChannelEnded(this.#options.name, cause);
    this.#ended = error;
    for (const call of this.#calls.values()) call.fail(error);
    this.#calls.clear();
    this.#options.onPending?.(0);
    if (this.#closing === null) this.#options.onEnd?.(error);
  }
}
