// The main thread's end of the database thread.
import { WorkerThread } from '../../platform/worker-channel/worker-thread.ts';
import type { CatalogPages } from '../pages.ts';
import { openingError, queryError, SQLITE_CODEC } from './database-errors.ts';
import type { DatabaseMethods, PagesRequest, Query, QueryRows } from './database-methods.ts';

/** Called when the thread has died: every call fails from then on. */
export type DeathListener = (error: Error) => void;

export class DatabaseThread {
  readonly #thread: WorkerThread<DatabaseMethods>;
  #onDeath: DeathListener | undefined;

  private constructor() {
    this.#thread = new WorkerThread<DatabaseMethods>(new URL('./database-worker.ts', import.meta.url), {
      name: 'the database thread',
      codec: SQLITE_CODEC,
      onEnd: (error) => this.#onDeath?.(error),
      // An idle database does not keep the process alive.
      isServant: true,
      // The worker must not inherit flags of the main script such as --eval.
      worker: { execArgv: [] },
    });
  }

  /** @throws CatalogOpenError when the file is in use, damaged or inaccessible */
  static async open(path: string, onDeath?: DeathListener): Promise<DatabaseThread> {
    const opened = new DatabaseThread();
    try {
      await opened.#thread.channel.call('open', path);
      opened.#onDeath = onDeath;
      return opened;
    } catch (error) {
      await opened.#thread.terminate();
      throw openingError(path, error);
    }
  }

  /** Call between transactions, once the catalog is of this release. @throws SqliteError */
  async protect(): Promise<void> {
    await this.#thread.channel.call('protect', null);
  }

  /** Operations run one by one, in order. @throws Fault storage-full, interrupted, SqliteError */
  async query(query: Query): Promise<QueryRows> {
    try {
      return await this.#thread.channel.call('query', query);
    } catch (error) {
      throw queryError(error);
    }
  }

  /** Call between transactions. @throws as `query` */
  async pages(request: PagesRequest): Promise<CatalogPages | null> {
    try {
      return await this.#thread.channel.call('pages', request);
    } catch (error) {
      throw queryError(error);
    }
  }

  /** Ends the present transaction, if any. @throws as `query` */
  async rollback(): Promise<void> {
    try {
      await this.#thread.channel.call('rollback', null);
    } catch (error) {
      throw queryError(error);
    }
  }

  /** Waits for running operations. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
