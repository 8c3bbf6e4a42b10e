// A slot in the pool of engine threads: holds a thread, or its replacement, and counts pending requests.
import type { CallOptions } from '../../../platform/worker-channel/channel.ts';
import type { NoteOf } from '../../../platform/worker-channel/methods.ts';
import type { EngineThread } from './engine-thread.ts';
import type { ThreadName } from './protocol.ts';
import type { EngineMethods, LongNote } from './thread-methods.ts';

const LONG: LongNote = 'long';

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
  /** Since when each pending request waits or runs, oldest first; without long changes that have begun. */
  readonly #since = new Set<{ readonly at: number }>();
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

  /** Number of pending requests. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Milliseconds that the oldest pending request has been here; 0 without any. A change that may take minutes counts until
   * it begins: then its time tells of its size, and not of a thread that is held up.
   */
  get oldestMs(): number {
    const [oldest] = this.#since;
    return oldest === undefined ? 0 : performance.now() - oldest.at;
  }

  /** Bytes of the bodies of pending requests. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Number of times that a dead thread was replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Replaces a dead thread. Requests go to the new one once `ready` has resolved. */
  replace(thread: EngineThread, ready: Promise<unknown>): void {
    this.#thread = thread;
    this.#restarts++;
    this.#restarting = ready.finally(() => {
      if (this.#thread === thread) this.#restarting = null;
    });
  }

  /**
   * Calls the thread.
   * @param body buffers of the body, which are transferred to the thread
   * @throws as EngineThread.call does
   */
  async call<Name extends keyof EngineMethods>(
    method: Name,
    request: EngineMethods[Name]['request'],
    { body = [], onNote }: SlotCallOptions<Name> = {},
  ): Promise<EngineMethods[Name]['response']> {
    const bytes = body.reduce((sum, buffer) => sum + buffer.byteLength, 0);
    const since = { at: performance.now() };
    this.#since.add(since);
    this.#count(1, bytes);
    const noted = (note: NoteOf<EngineMethods[Name]>) => {
      if (note === LONG) this.#since.delete(since);
      else onNote?.(note);
    };
    try {
      while (this.#restarting !== null) await this.#restarting;
      return await this.#thread.call(method, request, { transfer: body, onNote: noted });
    } finally {
      this.#since.delete(since);
      this.#count(-1, -bytes);
    }
  }

  #count(requests: 1 | -1, bytes: number): void {
    this.#pending += requests;
    this.#pendingBytes += bytes;
    this.#onPending(this.#pending);
  }
}
