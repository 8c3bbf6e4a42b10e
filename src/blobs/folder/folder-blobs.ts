// The blob port over a folder: files are written aside, flushed, then renamed, so that a name always has a whole file.
import { type FileHandle, mkdir, open, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkBlobKey, checkBlobPrefix } from '../blob-keys.ts';
import {
  BLOB_PAGE_MAX,
  type BlobDetails,
  BlobExists,
  BlobMissing,
  type BlobPage,
  type BlobRange,
  type Blobs,
  type PutOptions,
} from '../port.ts';
import { isCode, syncFolder, unavailable } from './disk.ts';
import type { FolderIdentity } from './folder-identity.ts';
import { keysFrom } from './keys-from.ts';
import { nameOnce } from './name-once.ts';
import { unfinishedPath } from './unfinished.ts';

const READ_BYTES = 1024 * 1024;
/** Flush interval: a single flush at the end would take longer and block other writes meanwhile. */
const FLUSH_BYTES = 16 * 1024 * 1024;

export class FolderBlobs implements Blobs {
  readonly #root: string;
  readonly #identity: FolderIdentity;

  /** `root` is absolute and exists. */
  constructor(root: string, identity: FolderIdentity) {
    this.#root = root;
    this.#identity = identity;
  }

  async put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    { ifAbsent = false, signal }: PutOptions = {},
  ): Promise<{ readonly bytes: number }> {
    const path = this.#pathOf(key);
    const unfinished = unfinishedPath(this.#root);
    await this.#identity.check();
    try {
      const bytes = await writeFlushed(unfinished, content, signal);
      await this.#name(unfinished, path, ifAbsent);
      return { bytes };
    } catch (error) {
      // The next start removes what cannot be removed now.
      await rm(unfinished, { force: true }).catch(() => undefined);
      if (ifAbsent && isCode(error, 'EEXIST')) throw new BlobExists(key);
      throw error;
    }
  }

  async *get(key: string, { first, last }: BlobRange = { first: 0 }): AsyncIterable<Uint8Array> {
    const handle = await open(this.#pathOf(key)).catch(async (error: unknown) => {
      if (!isAbsent(error)) throw unavailable(error);
      await this.#identity.check();
      throw new BlobMissing(key);
    });
    try {
      yield* pieces(handle, first, last ?? Number.POSITIVE_INFINITY);
    } finally {
      await handle.close();
    }
  }

  async head(key: string): Promise<BlobDetails | null> {
    const details = await detailsOf(this.#pathOf(key), key);
    if (details === null) await this.#identity.check();
    return details;
  }

  async list(prefix: string, cursor: string | null, limit = BLOB_PAGE_MAX): Promise<BlobPage> {
    checkBlobPrefix(prefix);
    await this.#identity.check();
    const items: BlobDetails[] = [];
    for await (const key of keysFrom(this.#root, prefix, cursor)) {
      if (items.length === limit) return { items, next: items.at(-1)?.key ?? null };
      // Files of others may have names that no key has.
      const details = await detailsOf(join(this.#root, key), key);
      if (details !== null) items.push(details);
    }
    return { items, next: null };
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    try {
      await unlink(path);
      await syncFolder(dirname(path));
    } catch (error) {
      if (!isAbsent(error)) throw unavailable(error);
      await this.#identity.check();
    }
    await this.#prune(dirname(path));
  }

  async close(): Promise<void> {}

  #pathOf(key: string): string {
    checkBlobKey(key);
    return join(this.#root, ...key.split('/'));
  }

  /** Gives the written file its name. Recreates a folder that a concurrent deletion prunes. */
  async #name(unfinished: string, path: string, ifAbsent: boolean): Promise<void> {
    for (let again = true; ; again = false) {
      try {
        await makeFolders(this.#root, dirname(path));
        if (ifAbsent) await nameOnce(this.#root, unfinished, path);
        else await rename(unfinished, path);
        break;
      } catch (error) {
        if (!again || !isCode(error, 'ENOENT')) throw isCode(error, 'EEXIST') ? error : unavailable(error);
      }
    }
    await flushed(syncFolder(dirname(path)));
    if (ifAbsent) await flushed(rm(unfinished, { force: true }));
  }

  /** Removes empty folders. */
  async #prune(folder: string): Promise<void> {
    for (let at = folder; at !== this.#root; at = dirname(at)) {
      try {
        await rmdir(at);
      } catch (error) {
        // Stops at a folder that is not empty or already removed.
        if (isCode(error, 'ENOTEMPTY') || isCode(error, 'EEXIST') || isAbsent(error)) return;
        throw unavailable(error);
      }
    }
  }
}

async function detailsOf(path: string, key: string): Promise<BlobDetails | null> {
  try {
    const details = await stat(path);
    if (!details.isFile()) return null;
    return { key, bytes: details.size, modifiedAt: details.mtime.toISOString() };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw unavailable(error);
  }
}

async function writeFlushed(
  path: string,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const handle = await open(path, 'wx').catch((error: unknown) => {
    throw unavailable(error);
  });
  let bytes = 0;
  let unflushed = 0;
  let flushing: Promise<void> = Promise.resolve();
  try {
    for await (const piece of content) {
      signal?.throwIfAborted();
      await writeAll(handle, piece);
      bytes += piece.byteLength;
      unflushed += piece.byteLength;
      if (unflushed < FLUSH_BYTES) continue;
      unflushed = 0;
      await flushing;
      flushing = flushed(handle.datasync());
      // Awaited before the next flush, or at the end.
      flushing.catch(() => undefined);
    }
    signal?.throwIfAborted();
    await flushing;
    await flushed(handle.sync());
  } finally {
    await handle.close();
  }
  return bytes;
}

async function flushed(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw unavailable(error);
  }
}

async function writeAll(handle: FileHandle, piece: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < piece.byteLength; ) {
      at += (await handle.write(piece, at, piece.byteLength - at)).bytesWritten;
    }
  } catch (error) {
    throw unavailable(error);
  }
}

async function* pieces(handle: FileHandle, first: number, last: number): AsyncIterable<Uint8Array> {
  for (let at = first; at <= last; ) {
    const requested = Math.min(READ_BYTES, last - at + 1);
    const { bytesRead, buffer } = await handle
      .read(Buffer.allocUnsafeSlow(requested), 0, requested, at)
      .catch((error: unknown) => {
        throw unavailable(error);
      });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Flushes each new folder into its parent: a durable file in a lost folder is lost. */
async function makeFolders(root: string, folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  if (made === undefined) return;
  for (let at = folder; at !== root; at = dirname(at)) await syncFolder(dirname(at));
}

function isAbsent(error: unknown): boolean {
  return isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR') || isCode(error, 'EISDIR');
}
