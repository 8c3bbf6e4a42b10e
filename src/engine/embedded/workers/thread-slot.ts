// A place in the pool of engine threads: a thread, and after its death another one. Counts what waits for it.
import type { CallOptions } from '../../../platform/worker-channel/channel.ts';
import type { EngineThread } from './engine-thread.ts';
import type { ThreadName } from './protocol.ts';
import type { EngineMethods } from './thread-methods.ts';

export interface SlotCallOptions<Name extends keyof EngineMethods>
  extends Pick<CallOptions<EngineMethods[Name]>, 'onNote'> {
  readonly body?: readonly ArrayBuffer[];
}

export class ThreadSlot {
  readonly name: ThreadName;
  readonly #onPending: (requests: number) => void;
  #thread: EngineThread;
  #restarting: Promise<unknown> | null = null;
  #pending = 0;
  #pendingBytes = 0;
  #restarts = 0;

  constructor(name: ThreadName, thread: EngineThread, onPending: (requests: number) => void) {
    this.name = name;
    this.#thread = thread;
    this.#onPending = onPending;
  }

  get thread(): EngineThread {
    return this.#thread;
  }

  /** Requests that wait for an answer. */
  get pending(): number {
    return this.#pending;
  }

  /** Bytes of the bodies of those requests. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** How often another thread took the place of a dead one. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Puts a new thread in the place of a dead one. Requests go to it once `ready` has resolved. */
  replace(thread: EngineThread, ready: Promise<unknown>): void {
    this.#thread = thread;
    this.#restarts++;
    this.#restarting = ready.finally(() => {
      if (this.#thread === thread) this.#restarting = null;
    });
  }

  /**
   * @param body the buffers of the call's body, which move to the thread
   * @throws as EngineThread.call
   */
  async call<Name extends keyof EngineMethods>(
    method: Name,
    request: EngineMethods[Name]['request'],
    { body = [], onNote }: SlotCallOptions<Name> = {},
  ): Promise<EngineMethods[Name]['response']> {
    const bytes = body.reduce((sum, buffer) => sum + buffer.byteLength, 0);
    this.#count(1, bytes);
    try {
      while (this.#restarting !== null) await this.#restarting;
      return await this.#thread.call(method, request, { transfer: body, ...(onNote && { onNote }) });
    } finally {
      this.#count(-1, -bytes);
    }
  }

  #count(requests: number, bytes: number): void {
    this.#pending += requests;
    this.#pendingBytes += bytes;
    this.#onPending(this.#pending);
  }
}
