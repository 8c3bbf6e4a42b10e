// Writes a snapshot file beside the old one, and replaces that once the new one is complete and durable.
import { type FileHandle, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CHUNK_BYTES } from './chunks.ts';
import { asidePath, removeLeftover } from './leftovers.ts';
import { planSnapshot, type SnapshotPlan, type SnapshotSource } from './plan.ts';
import { writeContent } from './write-content.ts';

/** Disk space that derived files leave free for records. */
const SPARE_BYTES = 64 * 1_048_576;

export interface WriteOptions {
  /** The memory is not read any more after it has fired. */
  readonly signal?: AbortSignal | undefined;
  /** Free space to leave on the disk. */
  readonly spareBytes?: number;
  /** Bytes that share a checksum and are copied together. */
  readonly chunkBytes?: number;
}

/** Paths this thread is writing. */
const writing = new Set<string>();

/**
 * Copies and checksums one chunk (about 0.4 ms) in each turn of the event loop; libuv's thread pool writes it. Each chunk
 * is stored as it was in its turn: data that must be consistent must not change meanwhile, or be passed as a copy.
 * Only one writer at a time may write a path.
 * @throws RangeError on parts that are not inside the memory, the signal's reason, or the system's error; the old file
 * is untouched then and nothing is left of the new one
 */
export async function writeSnapshot(
  path: string,
  source: SnapshotSource,
  { signal, spareBytes = SPARE_BYTES, chunkBytes = CHUNK_BYTES }: WriteOptions = {},
): Promise<{ readonly bytes: number }> {
  signal?.throwIfAborted();
  const plan = planSnapshot(source, chunkBytes);
  if (writing.has(path)) throw new Error(`${path} is being written already`);
  writing.add(path);
  try {
    removeLeftover(path);
    await assertSpace(dirname(path), plan.bytesMax + spareBytes);
    const bytes = await writeAside(path, plan, signal);
    await syncFolder(dirname(path));
    return { bytes };
  } finally {
    writing.delete(path);
  }
}

/** A full disk would stop writes of records. */
async function assertSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const message = `ENOSPC: a snapshot needs ${bytes} bytes, ${bavail * bsize} are free, ${folder}`;
  throw Object.assign(new Error(message), { code: 'ENOSPC', syscall: 'statfs' });
}

async function writeAside(
  path: string,
  plan: SnapshotPlan,
  signal: AbortSignal | undefined,
): Promise<number> {
  const aside = asidePath(path);
  try {
    const handle = await open(aside, 'wx', 0o600);
    const bytes = await closing(handle, () => writeContent(handle, plan, signal));
    signal?.throwIfAborted();
    await rename(aside, path);
    return bytes;
  } catch (error) {
    // The first error is more useful than one of cleaning up; leftovers are removed at the next write.
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
}

/** The new name is durable only when its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await closing(handle, () => handle.sync());
}

async function closing<Result>(handle: FileHandle, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await handle.close();
  }
}
