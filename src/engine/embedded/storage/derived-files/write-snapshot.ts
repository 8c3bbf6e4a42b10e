// Writes a snapshot file beside the old one, and puts it in its place when it is whole and on the disk.
import { type FileHandle, open, rename, rm, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CHUNK_BYTES } from './chunks.ts';
import { asidePath, removeLeftover } from './leftovers.ts';
import { planSnapshot, type SnapshotPlan, type SnapshotSource } from './plan.ts';
import { writeContent } from './write-content.ts';

/** Free space that derived files leave for the records. */
const SPARE_BYTES = 64 * 1_048_576;

export interface WriteOptions {
  /** After it fired the memory is not read again. */
  readonly signal?: AbortSignal | undefined;
  /** Free space to leave on the disk. */
  readonly spareBytes?: number;
  /** Bytes that share a checksum, and are copied at a time. */
  readonly chunkBytes?: number;
}

/** Paths this thread is writing. */
const writing = new Set<string>();

/**
 * Copies and checksums a chunk (about 0.4 ms) in each turn of the event loop; the system's pool writes it. Each chunk is
 * stored as it was at its turn: what must hold together has to stand still, or come as a copy.
 * One writer at a time may write a path.
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
    await assertRoom(dirname(path), plan.bytes + spareBytes);
    await writeAside(path, plan, signal);
    await syncFolder(dirname(path));
  } finally {
    writing.delete(path);
  }
  return { bytes: plan.bytes };
}

/** Filling the disk to the brim would stop the writing of records. */
async function assertRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const message = `ENOSPC: ${bytes} bytes wanted for a snapshot, ${bavail * bsize} free, ${folder}`;
  throw Object.assign(new Error(message), { code: 'ENOSPC', syscall: 'statfs' });
}

async function writeAside(path: string, plan: SnapshotPlan, signal: AbortSignal | undefined): Promise<void> {
  const aside = asidePath(path);
  try {
    const handle = await open(aside, 'wx', 0o600);
    await closing(handle, () => writeContent(handle, plan, signal));
    signal?.throwIfAborted();
    await rename(aside, path);
  } catch (error) {
    // The first error tells more than one of cleaning up; what stays is removed at the next write.
    await rm(aside, { force: true }).catch(() => {});
    throw error;
  }
}

/** The new name is durable only when its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await closing(handle, () => handle.sync());
}

async function closing(handle: FileHandle, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } finally {
    await handle.close();
  }
}
