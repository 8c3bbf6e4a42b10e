// The serving thread's end of the database thread: posts an operation, awaits its answer.
import { Worker } from 'node:worker_threads';
import { openingError, queryError } from './database-errors.ts';
import { OPENING_ID, type Operation, type QueryRows, type Response } from './messages.ts';

interface Waiting {
  readonly resolve: (rows: QueryRows) => void;
  readonly reject: (error: Error) => void;
}

export class DatabaseThread {
  readonly #path: string;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = OPENING_ID;
  #ended = false;

  private constructor(path: string) {
    this.#path = path;
    // Flags of the main script, such as --eval's, mean nothing to the worker.
    const options = { workerData: path, execArgv: [] };
    this.#worker = new Worker(new URL('./database-worker.ts', import.meta.url), options);
    this.#worker.on('message', (response: Response) => this.#settle(response));
    this.#worker.on('error', (error) => this.#end(asError(error)));
    this.#worker.on('exit', () => this.#end(new Error('The database thread has ended.')));
  }

  /** @throws CatalogOpenError when the file is in use, damaged or out of reach */
  static async open(path: string): Promise<DatabaseThread> {
    const thread = new DatabaseThread(path);
    await thread.#answerTo(OPENING_ID);
    return thread;
  }

  /** Operations run one by one, in the order given. @throws Fault storage-full, SqliteError */
  run(operation: Operation): Promise<QueryRows> {
    if (this.#ended) return Promise.reject(new Error('The database is closed.'));
    this.#lastId += 1;
    const answer = this.#answerTo(this.#lastId);
    this.#worker.postMessage({ id: this.#lastId, operation });
    return answer;
  }

  async close(): Promise<void> {
    await this.run({ kind: 'close' });
    this.#end(new Error('The database is closed.'));
    await this.#worker.terminate();
  }

  #answerTo(id: number): Promise<QueryRows> {
    this.#worker.ref();
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #settle(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    this.#waiting.delete(response.id);
    // An idle database does not keep the process alive.
    if (this.#waiting.size === 0) this.#worker.unref();
    if (waiting === undefined) return;
    if ('result' in response) waiting.resolve(response.result);
    else if (response.id === OPENING_ID) waiting.reject(openingError(this.#path, response.failure));
    else waiting.reject(queryError(response.failure));
  }

  #end(error: Error): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
