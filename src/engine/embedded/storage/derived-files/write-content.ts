// Writes the content of a snapshot to an open file: the chunks first, then their description.
import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { gather } from './parts.ts';
import type { SnapshotPlan } from './plan.ts';
import { encodePreamble, PREAMBLE_BYTES, SUM_BYTES } from './preamble.ts';

/** Syncing in between keeps the disk's queue short for the commits of others. */
const SYNC_BYTES = 4 * 1_048_576;

/** Everything is durable when it resolves. @throws the signal's reason, the system's error */
export async function writeContent(
  handle: FileHandle,
  plan: SnapshotPlan,
  signal: AbortSignal | undefined,
): Promise<void> {
  const table = await writeChunks(handle, plan, signal);
  const preamble = encodePreamble({
    id: randomBytes(8).toString('hex'),
    fileBytes: plan.bytes,
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
}

/** Returns the checksums. While a chunk is being written the next one is copied and checksummed. */
async function writeChunks(
  handle: FileHandle,
  { spans, chunks, chunkBytes, dataStart }: SnapshotPlan,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  const table = Buffer.alloc(chunks.length * SUM_BYTES);
  const buffers = [0, 1].map(() => Buffer.allocUnsafe(chunkBytes));
  let written = Promise.resolve();
  let unsynced = 0;
  try {
    for (const chunk of chunks) {
      signal?.throwIfAborted();
      const span = spans[chunk.part];
      const bytes = buffers[chunk.number % 2]?.subarray(0, chunk.bytes);
      if (span === undefined || bytes === undefined) throw new Error('a chunk belongs to no part');
      gather(span, chunk.from, bytes);
      table.writeUInt32LE(crc32(bytes), chunk.number * SUM_BYTES);
      await written;
      unsynced += chunk.bytes;
      if (unsynced > SYNC_BYTES) {
        await handle.datasync();
        unsynced = chunk.bytes;
      }
      written = writeAll(handle, bytes, dataStart + chunk.position);
    }
  } finally {
    // Its error is thrown below, or another one was thrown first.
    await written.catch(() => {});
  }
  await written;
  return table;
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
