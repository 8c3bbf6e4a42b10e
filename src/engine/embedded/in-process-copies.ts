// Copies of an index that is open in the calling thread: what tests and tools use instead of copying threads.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { CopyDetails, IndexExport, RecordBatch, RecordPosition } from '../port/index-copies.ts';
import { exportChunks } from './backup/export-chunks.ts';
import { expectedBytes } from './backup/export-copy.ts';
import { CopyImporter } from './backup/import-copy.ts';
import { IndexSnapshot } from './backup/index-snapshot.ts';
import { readBatches } from './backup/read-batches.ts';
import { SnapshotGuard } from './backup/snapshot-guard.ts';
import type { InProcessIndex } from './in-process-index.ts';
import { newPin } from './storage/snapshot-pins.ts';

export interface OpenFolder {
  readonly profile: IndexProfile;
  readonly folder: string;
  readonly index: Pick<InProcessIndex, 'writer'>;
}

/** Opens a snapshot. The index goes on being written while the bytes are pulled. */
export function exportInProcess({ profile, folder, index }: OpenFolder): IndexExport {
  const { snapshot, guard, release } = hold({ profile, folder, index });
  const sum = Promise.withResolvers<string>();
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      sum.resolve(yield* exportChunks(snapshot, guard));
    } finally {
      await release();
    }
  }
  const bytesExpected = expectedBytes(snapshot);
  return { ...snapshot.facts(), bytesExpected, bytes: read(), sha256: sum.promise, release };
}

/** Reads all records of a snapshot, from after a place on. */
export async function readInProcess(open: OpenFolder, after: RecordPosition | null): Promise<RecordBatch[]> {
  const { snapshot, release } = hold(open);
  try {
    return [...readBatches(snapshot, { namespace: null, after })];
  } finally {
    await release();
  }
}

/** Makes the folder of an index. @throws CopyFailed; nothing is left then */
export async function importInProcess(
  profile: IndexProfile,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { aside, folder }: { readonly aside: string; readonly folder: string },
): Promise<CopyDetails> {
  const taker = new CopyImporter(profile, aside);
  try {
    for await (const piece of bytes) taker.take(piece);
    return await taker.finish(folder);
  } catch (error) {
    await taker.abandon();
    throw error;
  }
}

function hold({ profile, folder, index }: OpenFolder) {
  const word = newPin();
  index.writer.pinSnapshot(word);
  const guard = new SnapshotGuard(word, { folder, indexName: profile.name });
  const snapshot = new IndexSnapshot(profile, folder);
  let closing: Promise<void> | null = null;
  const release = () => {
    guard.release();
    closing ??= snapshot.close();
    return closing;
  };
  return { snapshot, guard, release };
}
