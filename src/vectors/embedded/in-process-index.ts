// One index with its writer and one reader in the calling thread: what tests and tools use instead of engine threads.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { VectorReader } from '../port.ts';
import { Epochs } from './memory/epochs.ts';
import type { StructureDelta } from './memory/structure.ts';
import { IndexReader } from './reading/index-reader.ts';
import { privateWorkspace } from './reading/workspace.ts';
import { openForReading } from './storage/index-files.ts';
import { type OpenIndex, openIndex } from './writing/open-index.ts';

export interface InProcessIndex {
  readonly reader: VectorReader;
  readonly writer: OpenIndex['writer'];
  readonly parts: OpenIndex;
  close(): Promise<void>;
}

export interface InProcessOptions {
  /** Moves the border between the two kinds of search. */
  readonly directRecordsMax?: number;
  /** Bounds the shared memory, in frames. */
  readonly framesMax?: number;
}

/** Opens (or makes) the index in `folder`. */
export function openInProcess(
  profile: IndexProfile,
  folder: string,
  { framesMax, ...options }: InProcessOptions = {},
): InProcessIndex {
  const epochs = new Epochs(Epochs.allocate(1));
  let reader: IndexReader | undefined;
  const queued: StructureDelta[] = [];
  const takeMessages = () => {
    for (let next = queued.shift(); next !== undefined; next = queued.shift()) reader?.applyDelta(next);
  };
  const index = openIndex(profile, folder, {
    epochs,
    ...(framesMax !== undefined && { framesMax }),
    announce: (delta) => {
      queued.push(delta);
      setImmediate(takeMessages);
    },
  });
  reader = new IndexReader(profile, {
    ...options,
    context: { reader: 0, epochs, workspace: privateWorkspace() },
    files: openForReading(folder, profile.dimension),
    arena: index.arena,
    columnSeed: index.columnSeed,
    structures: [],
    tooLarge: [],
    structureVersion: index.arena.structureVersion,
    requestLoad: (spaceId, filterable) => index.loaded.load(spaceId, filterable),
    takeMessages,
  });
  const opened = reader;
  return {
    reader: opened,
    writer: index.writer,
    parts: index,
    close: async () => {
      await opened.close();
      await index.close();
    },
  };
}
