// A place in the pool of engine threads: a thread, and after its death another one. Counts what waits for it.
import type { Transferable } from 'node:worker_threads';
import type { EngineThread, OnWait, RequestBody } from './engine-thread.ts';
import type { ThreadAnswer, ThreadName } from './protocol.ts';

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

  /** @param transfer buffers of the body, which move to the thread @throws as EngineThread.ask */
  async ask(
    request: RequestBody,
    transfer: readonly ArrayBuffer[] = [],
    onWait?: OnWait,
  ): Promise<ThreadAnswer> {
    const bytes = transfer.reduce((sum, buffer) => sum + buffer.byteLength, 0);
    this.#count(1, bytes);
    try {
      while (this.#restarting !== null) await this.#restarting;
      return await this.#thread.ask(request, transfer, onWait);
    } finally {
      this.#count(-1, -bytes);
    }
  }

  /** Tells the thread that is there now, ahead of its start. */
  tell(request: RequestBody, transfer: readonly Transferable[]): Promise<ThreadAnswer> {
    return this.#thread.ask(request, transfer);
  }

  #count(requests: number, bytes: number): void {
    this.#pending += requests;
    this.#pendingBytes += bytes;
    this.#onPending(this.#pending);
  }
}
