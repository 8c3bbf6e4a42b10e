// Flushes a file while it is being written, so that the last flush and the disk's queue stay short.
import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Keeps the disk's queue short for the commits of others (docs/decisions/014-derived-files.md). */
const SYNC_BYTES = 4 * 2 ** 20;
/** Writing waits for a disk that falls so far behind. */
const BEHIND_BYTES_MAX = 32 * 2 ** 20;

const sync = promisify(fdatasync);
const closeFile = promisify(close);

export class SteadySync {
  readonly #path: string;
  readonly #syncNow: () => void;
  /** A descriptor of its own: the writer may close its own at any time. */
  #fd: number | null = null;
  #unsynced = 0;
  #running: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  /** @param syncNow flushes the file before it returns */
  constructor(path: string, syncNow: () => void) {
    this.#path = path;
    this.#syncNow = syncNow;
  }

  /** Call after so many bytes were written. @throws the error of an earlier flush */
  wrote(bytes: number): void {
    if (this.#failure !== null) throw this.#failure.error;
    this.#unsynced += bytes;
    if (this.#unsynced >= BEHIND_BYTES_MAX) this.#catchUp();
    else if (this.#unsynced >= SYNC_BYTES && this.#running === null) this.#start();
  }

  /** Everything written is durable when it returns. @throws the error of any flush */
  finish(): void {
    if (this.#failure !== null) throw this.#failure.error;
    this.#catchUp();
  }

  /** Call in any case. Never rejects. */
  async close(): Promise<void> {
    await this.#running;
    const fd = this.#fd;
    this.#fd = null;
    if (fd !== null) await closeFile(fd).catch(() => undefined);
  }

  #catchUp(): void {
    this.#unsynced = 0;
    this.#syncNow();
  }

  #start(): void {
    this.#unsynced = 0;
    this.#fd ??= openSync(this.#path, 'r+');
    this.#running = this.#flush(this.#fd);
  }

  async #flush(fd: number): Promise<void> {
    try {
      await sync(fd);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#running = null;
    }
  }
}
