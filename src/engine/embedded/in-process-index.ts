// One index with its writer and one reader in the calling thread, for tests and tools that use no engine threads.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { ReadAsOf } from '../port/past-reads.ts';
import type { VectorReader } from '../port/reader-and-writer.ts';
import type { Builders } from './indexing/builds/builders.ts';
import { InProcessBuilders } from './indexing/builds/in-process-builders.ts';
import type { PeerIndexes } from './indexing/evictor.ts';
import type { MaintenanceLimits } from './indexing/graph-maintenance.ts';
import { type OpenIndex, type OpenOptions, openIndex } from './indexing/open-index.ts';
import { Epochs } from './memory/epochs.ts';
import type { FrameBudget } from './memory/frame-budget.ts';
import { IndexReader } from './search/index-reader.ts';
import { privateWorkspace } from './search/workspace.ts';
import type { StructureDelta } from './segments/structure.ts';
import { openForReading } from './storage/index-files.ts';

export interface InProcessIndex {
  readonly reader: VectorReader & { readonly asOf: ReadAsOf };
  readonly writer: OpenIndex['writer'];
  readonly parts: OpenIndex;
  close(): Promise<void>;
}

export interface InProcessOptions {
  /** Up to this many records, a namespace is searched straight from its records. */
  readonly directRecordsMax?: number;
  /** Up to this many, records are looked at in one go. */
  readonly scannedAtOnceMax?: number;
  /** Bounds each arena, in frames, and the number of arenas. */
  readonly framesMax?: number;
  readonly arenasMax?: number;
  /** Builds graphs; by default the calling thread does. */
  readonly builders?: Builders;
  readonly maintenanceLimits?: MaintenanceLimits;
  readonly coldAfterSeconds?: number;
  /** Shared with other indexes; by default memory is not bounded. */
  readonly budget?: FrameBudget;
  readonly peers?: PeerIndexes;
  readonly saveIdleMs?: number;
  readonly verifier?: NonNullable<OpenOptions['verifier']>;
  /** Default none. */
  readonly history?: NonNullable<OpenOptions['history']>;
  readonly turns?: NonNullable<OpenOptions['turns']>;
}

/** Opens the index in `folder`, or creates it. */
export function openInProcess(
  profile: IndexProfile,
  folder: string,
  { directRecordsMax, scannedAtOnceMax, ...options }: InProcessOptions = {},
): InProcessIndex {
  const epochs = new Epochs(Epochs.allocate(1));
  let reader: IndexReader | undefined;
  const queued: StructureDelta[] = [];
  const takeMessages = () => {
    for (let next = queued.shift(); next !== undefined; next = queued.shift()) reader?.views.apply(next);
  };
  const index = openIndex(profile, folder, {
    builders: new InProcessBuilders(),
    ...options,
    epochs,
    announce: (delta) => {
      queued.push(delta);
      setImmediate(takeMessages);
    },
  });
  reader = new IndexReader(profile, {
    ...(options.history && {
      history: { msMax: options.history.bounds?.msMax ?? 0, now: options.history.now ?? Date.now },
    }),
    ...(directRecordsMax !== undefined && { directRecordsMax }),
    ...(scannedAtOnceMax !== undefined && { scannedAtOnceMax }),
    context: { reader: 0, epochs, workspace: privateWorkspace() },
    files: openForReading(folder, profile.dimension),
    ...index.attachment(),
    requestLoad: (namespaceId, filterable, recordCount) =>
      index.loaded.load(namespaceId, filterable, recordCount),
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
