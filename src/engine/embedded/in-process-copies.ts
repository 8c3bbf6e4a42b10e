// Exports and imports in the calling thread, for tests and tools that use no copying threads.
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

/** Exports a snapshot. The index can be written while the bytes are read. */
export function exportInProcess({ profile, folder, index }: OpenFolder): IndexExport {
  const { snapshot, guard, release } = pinned({ profile, folder, index });
  const sum = Promise.withResolvers<string>();
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      sum.resolve(yield* exportChunks(snapshot, guard));
    } finally {
      await release();
    }
  }
  const bytesExpected = expectedBytes(snapshot);
  return { ...snapshot.details(), bytesExpected, bytes: read(), sha256: sum.promise, release };
}

/** Reads the records of a snapshot after a position, or all. */
export async function readInProcess(open: OpenFolder, after: RecordPosition | null): Promise<RecordBatch[]> {
  const { snapshot, release } = pinned(open);
  try {
    return [...readBatches(snapshot, { namespace: null, after })];
  } finally {
    await release();
  }
}

/** Imports an index into `folder`, by way of the folder `aside`. @throws CopyFailed; nothing is left then */
export async function importInProcess(
  profile: IndexProfile,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { aside, folder }: { readonly aside: string; readonly folder: string },
): Promise<CopyDetails> {
  const importer = new CopyImporter(profile, aside);
  try {
    for await (const piece of bytes) importer.write(piece);
    return await importer.finish(folder);
  } catch (error) {
    await importer.abandon();
    throw error;
  }
}

/** Opens a snapshot whose rows the writer leaves alone until `release`. */
function pinned({ profile, folder, index }: OpenFolder) {
  const pin = newPin();
  index.writer.pinSnapshot(pin);
  const guard = new SnapshotGuard(pin, { folder, indexName: profile.name });
  const snapshot = new IndexSnapshot(profile, folder);
  let closing: Promise<void> | null = null;
  const release = () => {
    guard.release();
    closing ??= snapshot.close();
    return closing;
  };
  return { snapshot, guard, release };
}
