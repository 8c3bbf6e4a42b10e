// Flushes a file beside the writing of it, so that the last flush is short and the disk's queue too.
import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

/** Keeps the disk's queue short for the commits of others (docs/decisions/014-derived-files.md). */
const SYNC_BYTES = 4 * 2 ** 20;
/** A disk that falls so far behind is waited for. */
const BEHIND_BYTES_MAX = 32 * 2 ** 20;

const sync = promisify(fdatasync);
const closeFile = promisify(close);

export class SteadySync {
  readonly #path: string;
  readonly #syncNow: () => void;
  /** Of its own: whoever writes closes theirs when they like. */
  #fd: number | null = null;
  #unsynced = 0;
  #running: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;

  /** @param syncNow flushes the file before it returns */
  constructor(path: string, syncNow: () => void) {
    this.#path = path;
    this.#syncNow = syncNow;
  }

  /** So many bytes more are written. @throws what an earlier flush met */
  wrote(bytes: number): void {
    if (this.#failure !== null) throw this.#failure.error;
    this.#unsynced += bytes;
    if (this.#unsynced >= BEHIND_BYTES_MAX) this.#catchUp();
    else if (this.#unsynced >= SYNC_BYTES && this.#running === null) this.#start();
  }

  /** All that was written is on the disk when it returns. @throws what any flush met */
  finish(): void {
    if (this.#failure !== null) throw this.#failure.error;
    this.#catchUp();
  }

  /** To be called whatever has happened. Never rejects. */
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
