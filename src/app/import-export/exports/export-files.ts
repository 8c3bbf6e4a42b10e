// Stores the files of an export while their bytes arrive, and records what was stored.
import type { Blobs } from '../../../blobs/port.ts';
import type { ManifestFile } from '../../../domain/imports/manifest.ts';
import type { Output } from '../../../file-formats/port.ts';
import { ByteFeed } from './byte-feed.ts';

interface OpenPut {
  readonly feed: ByteFeed;
  /** Resolves to null, or to the error that ended it. */
  readonly ended: Promise<unknown>;
}

export class ExportFiles {
  readonly files: ManifestFile[] = [];
  readonly #blobs: Blobs;
  /** Prefix of every path; empty, or with a trailing slash. */
  readonly #base: string;
  readonly #signal: AbortSignal;
  #open: OpenPut | null = null;

  constructor(blobs: Blobs, base: string, signal: AbortSignal) {
    this.#blobs = blobs;
    this.#base = base;
    this.#signal = signal;
  }

  /** @throws BlobsUnavailable, the signal's reason */
  async take(outputs: readonly Output[]): Promise<void> {
    for (const output of outputs) {
      if (output.type === 'open') this.#begin(output.path);
      else if (output.type === 'bytes') await this.#opened().feed.push(output.bytes);
      else await this.#finish(output.file);
    }
  }

  /** Aborts a file that is still open. */
  async abandon(error: unknown): Promise<void> {
    this.#open?.feed.fail(error);
    await this.#open?.ended;
  }

  #begin(path: string): void {
    const feed = new ByteFeed();
    const put = this.#blobs.put(`${this.#base}${path}`, feed, { signal: this.#signal });
    const ended = put.then(
      () => null,
      (error: unknown) => {
        // The writer must not wait for a reader that is gone, nor go on.
        feed.fail(error);
        return error;
      },
    );
    this.#open = { feed, ended };
  }

  async #finish(file: ManifestFile): Promise<void> {
    const { feed, ended } = this.#opened();
    feed.end();
    const error = await ended;
    if (error !== null) throw error;
    this.#open = null;
    const stored = await this.#blobs.head(`${this.#base}${file.path}`);
    if (stored?.bytes !== file.bytes) {
      throw new Error(`${file.path} has ${stored?.bytes ?? 'no'} bytes in the storage, not ${file.bytes}.`);
    }
    this.files.push(file);
  }

  #opened(): OpenPut {
    if (this.#open === null) throw new Error('No file is open.');
    return this.#open;
  }
}
