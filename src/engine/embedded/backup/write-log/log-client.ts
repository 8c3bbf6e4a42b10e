// The main thread's end of the thread that reads logs, which is started when it is first called.
import { ChannelEnded } from '../../../../platform/worker-channel/errors.ts';
import { WorkerThread } from '../../../../platform/worker-channel/worker-thread.ts';
import type { LogGap, LoggedStorage, LogPart, LogRequest } from '../../../port/write-log.ts';
import type { LogMethods } from './log-methods.ts';

export class LogClient {
  readonly #dataDir: string;
  #thread: WorkerThread<LogMethods> | null = null;
  #isClosed = false;
  readonly #dropped = new Set<string>();

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  storages(): Promise<readonly LoggedStorage[]> {
    return this.#call((thread) => thread.channel.call('storages', this.#dataDir));
  }

  async read(request: LogRequest): Promise<LogPart | LogGap | null> {
    if (this.#dropped.has(request.storageId)) return null;
    return this.#call((thread) => thread.channel.call('read', { ...request, dataDir: this.#dataDir }));
  }

  /** Closes the files of an index that is about to be removed, and opens them no more. */
  async drop(storageId: string): Promise<void> {
    this.#dropped.add(storageId);
    if (this.#thread !== null) await this.#call((thread) => thread.channel.call('forget', storageId));
  }

  /** A dropped index was made again. */
  admit(storageId: string): void {
    this.#dropped.delete(storageId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#thread?.close();
  }

  /** A thread that died is replaced at the next call. */
  async #call<Result>(ask: (thread: WorkerThread<LogMethods>) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error('the engine is closed');
    this.#thread ??= new WorkerThread(new URL('./log-thread.ts', import.meta.url), {
      name: 'the thread that reads logs',
      isServant: true,
    });
    try {
      return await ask(this.#thread);
    } catch (error) {
      if (error instanceof ChannelEnded) this.#thread = null;
      throw error;
    }
  }
}
