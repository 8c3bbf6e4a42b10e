// The serving side of a channel: runs a handler for each call and sends what it returns or throws.
import type { Transferable } from 'node:worker_threads';
import type { Endpoint } from './endpoint.ts';
import { ChannelEnded, type ErrorCodec, TEXT_CODEC } from './errors.ts';
import type { MethodMap } from './methods.ts';
import { Moved } from './moved.ts';
import { ServedCall } from './served-call.ts';
import {
  ANSWER,
  CALL,
  type CallerMessage,
  type CallId,
  CLOSE,
  FAILURE,
  NOTICE,
  received,
  type ServerMessage,
} from './wire.ts';

type Answer<Response> = Response | Moved<Response>;

/** Calls that arrive while others run start at once, in order. */
export type Handlers<Methods extends MethodMap<Methods>> = {
  readonly [Name in keyof Methods]: (
    request: Methods[Name]['request'],
    call: ServedCall<Methods[Name]>,
  ) => Answer<Methods[Name]['response']> | Promise<Answer<Methods[Name]['response']>>;
};

export interface ServerOptions<Received = never> {
  /** Both sides must use the same codec; default TEXT_CODEC. */
  readonly codec?: ErrorCodec;
  readonly onNotice?: (notice: Received) => void;
  /** Items of a download in flight; default ITEMS_AHEAD. */
  readonly itemsAhead?: number;
  /** Called when the caller closes the channel, which waits for it. */
  readonly onClose?: () => Promise<void> | void;
  /** Called once when the caller has ended or the channel was closed. */
  readonly onEnd?: () => void;
  /** True for errors after which this thread must not continue: they end it as uncaught errors. Default: none. */
  readonly isFatal?: (error: unknown) => boolean;
}

/** `Received` and `Sent` are the notices of either direction. */
export class ChannelServer<Methods extends MethodMap<Methods>, Received = never, Sent = never> {
  readonly #endpoint: Endpoint;
  readonly #handlers: Handlers<Methods>;
  readonly #options: ServerOptions<Received>;
  readonly #codec: ErrorCodec;
  readonly #calls = new Map<CallId, ServedCall>();
  #isToClose = false;

  constructor(endpoint: Endpoint, handlers: Handlers<Methods>, options: ServerOptions<Received> = {}) {
    this.#endpoint = endpoint;
    this.#handlers = handlers;
    this.#options = options;
    this.#codec = options.codec ?? TEXT_CODEC;
    endpoint.onMessage((message) => this.#onMessage(received<CallerMessage>(message)));
    endpoint.onEnd((cause) => this.#onEnd(cause));
  }

  /** Sends the caller a message that belongs to no call. */
  notify(notice: Sent, transfer?: readonly Transferable[]): void {
    this.#endpoint.post([NOTICE, notice], transfer);
  }

  /** Closes the connection when all running calls have been answered. */
  closeWhenIdle(): void {
    this.#isToClose = true;
    if (this.#calls.size === 0) this.#endpoint.close();
  }

  #onMessage(message: CallerMessage): void {
    switch (message[0]) {
      case CALL:
        this.#start(message[1], message[2], message[3]);
        break;
      case NOTICE:
        this.#options.onNotice?.(received(message[1]));
        break;
      case CLOSE:
        void this.#finish(message[1]);
        break;
      default:
        this.#calls.get(message[1])?.take(message);
    }
  }

  #start(id: CallId, method: string, request: unknown): void {
    const call = new ServedCall(this.#endpoint, id, this.#options.itemsAhead);
    this.#calls.set(id, call);
    try {
      const answer = this.#run(method, request, call);
      if (answer instanceof Promise)
        answer.then((value) => this.#answer(id, value)).catch((error: unknown) => this.#fail(id, error));
      else this.#answer(id, answer);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #run(method: string, request: unknown, call: ServedCall): unknown {
    if (!Object.hasOwn(this.#handlers, method)) throw new Error(`unknown method '${method}'`);
    const handler = this.#handlers[received<keyof Methods>(method)];
    return handler(received(request), received(call));
  }

  #answer(id: CallId, answer: unknown): void {
    if (answer instanceof Moved) this.#settle(id, [ANSWER, id, answer.value], answer.transfer);
    else this.#settle(id, [ANSWER, id, answer]);
  }

  #fail(id: CallId, error: unknown): void {
    if (this.#options.isFatal?.(error) === true) throw error;
    this.#settle(id, [FAILURE, id, this.#codec.encode(error)]);
  }

  #settle(id: CallId, message: ServerMessage, transfer?: readonly Transferable[]): void {
    this.#endpoint.post(message, transfer);
    this.#calls.delete(id);
    if (this.#isToClose) this.closeWhenIdle();
  }

  async #finish(id: CallId): Promise<void> {
    try {
      await this.#options.onClose?.();
      // Node tells of warnings a tick after they arise.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      this.#answer(id, null);
    } catch (error) {
      this.#fail(id, error);
    }
    this.#endpoint.close();
  }

  #onEnd(cause: Error | undefined): void {
    for (const call of this.#calls.values()) call.abort(new ChannelEnded('the caller', cause));
    this.#calls.clear();
    this.#options.onEnd?.();
  }
}
