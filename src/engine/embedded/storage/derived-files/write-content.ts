// Writes the content of a snapshot to an open file: the chunks first, then their description.
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { gather } from './parts.ts';
import type { SnapshotPlan } from './plan.ts';
import { encodePreamble, entryBytes, PREAMBLE_BYTES } from './preamble.ts';
import { pack, putEntry } from './stored-chunks.ts';

/** Syncing in between keeps the disk's queue short for the commits of others. */
const SYNC_BYTES = 4 * 1_048_576;

/** Everything is durable when it resolves. @returns the bytes of the file. @throws the signal's reason, the system's error */
export async function writeContent(
  handle: FileHandle,
  plan: SnapshotPlan,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { table, fileBytes } = await writeChunks(handle, plan, signal);
  const preamble = encodePreamble({
    id: randomBytes(8).toString('hex'),
    isPacked: plan.isPacked,
    fileBytes,
    headBytes: plan.head.length,
    headSum: crc32(plan.head),
    chunkBytes: plan.chunkBytes,
    chunkCount: plan.chunks.length,
    tableSum: crc32(table),
  });
  await writeAll(handle, preamble, 0);
  await writeAll(handle, plan.head, PREAMBLE_BYTES);
  await writeAll(handle, table, PREAMBLE_BYTES + plan.head.length);
  await handle.datasync();
  return fileBytes;
}

/** Returns the table and where the file ends. While a chunk is being written the next one is copied and checksummed. */
async function writeChunks(
  handle: FileHandle,
  plan: SnapshotPlan,
  signal: AbortSignal | undefined,
): Promise<{ readonly table: Buffer; readonly fileBytes: number }> {
  const { spans, chunks, chunkBytes, dataStart } = plan;
  const table = Buffer.alloc(chunks.length * entryBytes(plan));
  const buffers = [0, 1].map(() => Buffer.allocUnsafe(chunkBytes));
  let written = Promise.resolve();
  let unsynced = 0;
  let at = dataStart;
  try {
    for (const chunk of chunks) {
      signal?.throwIfAborted();
      const span = spans[chunk.part];
      const bytes = buffers[chunk.number % 2]?.subarray(0, chunk.bytes);
      if (span === undefined || bytes === undefined) throw new Error('a chunk belongs to no part');
      gather(span, chunk.from, bytes);
      const stored = span.isPacked ? await pack(bytes) : bytes;
      putEntry(table, chunk.number, { stored, preamble: plan });
      await written;
      unsynced += stored.length;
      if (unsynced > SYNC_BYTES) {
        await handle.datasync();
        unsynced = stored.length;
      }
      written = writeAll(handle, stored, at);
      // Its error is thrown when it is awaited, which may be some turns later.
      written.catch(() => {});
      at += stored.length;
    }
  } finally {
    // Its error is thrown below, or another one was thrown first.
    await written.catch(() => {});
  }
  await written;
  return { table, fileBytes: at };
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
