// Opens an index for writing: its files, shared memory, loaded namespaces and writer.
import type { IndexProfile } from '../../../domain/index-model.ts';
import { type MemoryProfile, profileInForce } from '../../../domain/memory-profile.ts';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import type { IndexMetrics } from '../../port/engine-metrics.ts';
import { CommitCount } from '../memory/commit-count.ts';
import type { Epochs } from '../memory/epochs.ts';
import { filterableFields } from '../search/namespace-filter.ts';
import { MemoryPool, type PoolOptions, randomColumnSeed } from '../segments/memory-pool.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import type { NamespaceStructure, StructureDelta } from '../segments/structure.ts';
import { closeFiles, type IndexFiles, openForWriting, type WritableFiles } from '../storage/index-files.ts';
import type { FileDamage } from '../storage/integrity/damage.ts';
import type { RecordStore } from '../storage/record-store.ts';
import { SEQ } from '../storage/record-store.ts';
import type { Builders } from './builds/builders.ts';
import { CodeVerifier } from './code-verifier.ts';
import type { Turns } from './commit-queue.ts';
import { DerivedLedger } from './derived-ledger.ts';
import type { PeerIndexes } from './evictor.ts';
import { GraphMaintenance, MAINTENANCE_LIMITS, type MaintenanceLimits } from './graph-maintenance.ts';
import type { HistoryKeeperOptions } from './history/history-keeper.ts';
import { type IndexFigures, indexFigures } from './index-figures.ts';
import { warningsOf } from './index-warnings.ts';
import { IndexWriter } from './index-writer.ts';
import { IntegrityUpkeep } from './integrity-upkeep.ts';
import { LoadedNamespaces } from './loaded-namespaces.ts';
import type { WrittenNamespace } from './prefetch-queue.ts';
import { RowReclaimer } from './row-reclaimer.ts';
import { scratchFramesFor } from './scratch-frames.ts';
import { SegmentCheckpointer } from './segment-checkpointer.ts';
import { SegmentFiles } from './segment-files.ts';
import { areSaved } from './worth-saving.ts';

/** What a reader starts with. */
export interface Attachment {
  /** The arenas by number. */
  readonly memories: readonly WebAssembly.Memory[];
  readonly columnSeed: number;
  readonly namespaces: readonly {
    readonly namespaceId: number;
    readonly segments: readonly NamespaceStructure[];
  }[];
  readonly tooLarge: readonly number[];
  readonly structureVersion: number;
  /** A CommitCount. */
  readonly commits: SharedArrayBuffer;
}

export interface OpenIndex {
  readonly files: IndexFiles;
  readonly loaded: LoadedNamespaces;
  readonly checkpointer: SegmentCheckpointer;
  readonly writer: IndexWriter;
  readonly memory: IndexMemoryUse;
  /** Moves to the memory profile of this profile: within seconds, it begins in the background. */
  reshape(profile: IndexProfile): void;
  /** Metrics; costs a moment for each namespace in memory. */
  figures(): IndexFigures & { readonly records: number } & Pick<IndexMetrics, 'history' | 'branches'>;
  /** The current state, to which later deltas apply. */
  attachment(): Attachment;
  /** True when it may close: nothing is under way, and nothing is lost that was worth the work. */
  isQuiet(): boolean;
  /** Carries out what waits and closes the files. */
  close(): Promise<void>;
}

/** An index's share of the memory that all indexes use. */
export interface IndexMemoryUse {
  readonly frames: number;
  /** Frames that evicting it would free. */
  readonly evictableFrames: number;
  /** When a query last used any of it, in seconds; Infinity while something is loaded or built. */
  readonly lastUsed: number;
  /** Evicts everything; queries load what they need again. @returns the old arenas, to be dropped by all threads */
  empty(): readonly WebAssembly.Memory[];
  /**
   * Gives back what a move to another memory profile left, once all has moved and is saved: evicts everything, and loads
   * it again from its files, into arenas that are as large as they need be. Call every second or so.
   * @returns the old arenas, and others that were replaced since the last call, to be dropped by all threads
   */
  leaveOld(): readonly WebAssembly.Memory[];
}

export interface OpenOptions extends Pick<PoolOptions, 'budget' | 'framesMax' | 'arenasMax'> {
  readonly epochs: Epochs;
  /** Must reach every reader before it returns; the structure's version is raised afterwards. */
  readonly announce: (delta: StructureDelta) => void;
  readonly builders?: Builders | null;
  /** Default MAINTENANCE_LIMITS. */
  readonly maintenanceLimits?: MaintenanceLimits;
  /** Default COLD_AFTER_SECONDS. */
  readonly coldAfterSeconds?: number;
  /** Default none. */
  readonly peers?: PeerIndexes;
  /** Shared by all indexes of a thread; default one of its own. */
  readonly verifier?: CodeVerifier;
  /** How long a segment must be unchanged before it is saved for small changes; default SAVE_IDLE_MS. */
  readonly saveIdleMs?: number;
  /** False to fail when the files are not there; default true. */
  readonly isNew?: boolean;
  /** The index's turns on the thread; by default, it has the thread to itself. */
  readonly turns?: Turns;
  /** Called when the files are found damaged while the index is open. */
  readonly onDamage?: (damage: FileDamage) => void;
  /** Called when the store is of no use any more, until all threads have closed it: close the index. */
  readonly onGivenUp?: () => void;
  /** Called when records of 0.1.0 have got their checksums, with their number. */
  readonly onSumsAdded?: (records: number) => void;
  /** How long after the opening they begin to get them; the default lets requests come first. */
  readonly sumsAfterMs?: number;
  /** Of indexes that have none of their own; default `memory`. */
  readonly memoryProfile?: MemoryProfile;
  /** How much of the past to keep; default none. */
  readonly history?: Pick<HistoryKeeperOptions, 'bounds' | 'now' | 'freeBytes'>;
}

const SAVE_IDLE_MS = 5_000;
const COLUMN_SEED = 'column-seed';

/** The secret of the index's filter columns: stored, because derived files contain hashes made with it. */
function columnSeedOf(store: RecordStore): number {
  const known = store.numbers.get(COLUMN_SEED);
  if (known !== 0) return known;
  const seed = randomColumnSeed();
  store.env.transactionSync(() => store.numbers.put(COLUMN_SEED, seed));
  return seed;
}

/** Opens (or creates) the index in `folder`. */
export function openIndex(profile: IndexProfile, folder: string, options: OpenOptions): OpenIndex {
  const isNew = options.isNew ?? true;
  const { readers: threads } = options.epochs;
  const files = openForWriting(folder, profile.dimension, { isNew, indexId: profile.id, threads });
  try {
    return indexOf(profile, { folder, files }, options);
  } catch (error) {
    // A store that LMDB has given up stays so until all have closed it.
    closeFiles(files).catch(warningsOf(profile.id));
    throw error;
  }
}

function indexOf(
  profile: IndexProfile,
  { folder, files }: { readonly folder: string; readonly files: WritableFiles },
  options: OpenOptions,
): OpenIndex {
  const { dimension, metric, documents, rankedFields = [] } = profile;
  const { maintenanceLimits = MAINTENANCE_LIMITS } = options;
  const columnSeed = columnSeedOf(files.store);
  const left: WebAssembly.Memory[] = [];
  const pool: MemoryPool = new MemoryPool({
    ...options,
    dimension,
    metric,
    searched: { documents, rankedFields },
    diskFolder: folder,
    columnSeed,
    ...(options.builders && { graphSlotsMin: maintenanceLimits.graphRecordsMin }),
    scratchFrames: (needs) =>
      scratchFramesFor(needs, { readers: options.epochs.readers, builders: options.builders?.count ?? 0 }),
    onArena: ({ number, memory, left: replaced }) => {
      announce({ kind: 'arena', number, memory });
      if (replaced !== null) left.push(replaced);
    },
  });
  const { memoryProfile: preset = 'memory' } = options;
  // Without the system's help, codes would stay in memory, and nodes that hold theirs take more.
  const isOnDisk = (of: IndexProfile) => systemCalls() !== null && profileInForce(of, preset) === 'disk';
  pool.keepOnDisk(isOnDisk(profile));
  const announce = (delta: StructureDelta) => {
    options.announce(delta);
    pool.first.arena.announceStructure();
  };
  const seq = files.store.numbers.get(SEQ);
  const warn = warningsOf(profile.id);
  const maintenance = new GraphMaintenance(options.builders ?? null, maintenanceLimits, warn);
  const ledger = new DerivedLedger(files.store);
  const checkpointer = new SegmentCheckpointer(new SegmentFiles(folder, warn), ledger, {
    submit: (steps) => writer.submit(steps),
    idleMs: options.saveIdleMs ?? SAVE_IDLE_MS,
    verifier: options.verifier ?? new CodeVerifier(),
    warn,
  });
  const loaded = new LoadedNamespaces(pool, files, { ...options, announce, maintenance, checkpointer, warn });
  noteSaved(profile, files, { ledger, loaded });
  const commits = CommitCount.allocate();
  const writer: IndexWriter = new IndexWriter(profile, files, {
    loaded,
    ledger,
    warn,
    commits: new CommitCount(commits),
    reclaimer: new RowReclaimer(options.epochs, seq),
    ...(options.turns && { turns: options.turns }),
    ...(options.history && { history: options.history }),
    ...(options.onGivenUp && { onGivenUp: options.onGivenUp }),
    sums: {
      ...(options.onSumsAdded && { onDone: options.onSumsAdded }),
      ...(options.sumsAfterMs !== undefined && { startMs: options.sumsAfterMs }),
    },
  });
  const upkeep = new IntegrityUpkeep(files, { onDamage: options.onDamage ?? (() => undefined), warn });
  /** The profile that the index moves to, until `leaveOld` has done its work. */
  let moving: IndexProfile | null = null;
  const empty = () => [...left.splice(0), ...emptyMemory(pool, loaded, options.announce)];
  const leaveOld = () => {
    if (moving === null || !hasMoved(loaded, { pool, maintenance, checkpointer })) return left.splice(0);
    const memories = empty();
    noteSaved(moving, files, { ledger, loaded });
    moving = null;
    return memories;
  };
  return {
    files,
    loaded,
    checkpointer,
    writer,
    isQuiet: () => writer.idleness.isQuiet() && isMemoryQuiet(loaded, checkpointer),
    memory: memoryUse(pool, loaded, { empty, leaveOld }),
    reshape: (changed) => {
      if (pool.keepOnDisk(isOnDisk(changed))) moving = changed;
    },
    figures: () => ({
      records: files.store.namespaces.recordTotal(),
      history: writer.history.figures(),
      branches: writer.branches.figures(),
      ...indexFigures(loaded, pool, maintenance),
    }),
    attachment: () => ({
      memories: pool.memories,
      columnSeed,
      namespaces: loaded.namespaces(),
      tooLarge: loaded.oversized.ids,
      structureVersion: pool.first.arena.structureVersion,
      commits,
    }),
    close: async () => {
      try {
        await writer.close();
        await upkeep.close();
      } finally {
        // Files that stayed open would be opened beside themselves.
        await closeFiles(files).finally(() => pool.close());
      }
    },
  };
}

/** True while nothing is loaded or built, and files have what is in memory. */
function isMemoryQuiet(loaded: LoadedNamespaces, checkpointer: SegmentCheckpointer): boolean {
  return loaded.lastUsed < Number.POSITIVE_INFINITY && areSaved(loaded.segments(), checkpointer);
}

/** True when all in memory has the memory profile that new segments get, has its graphs, and is in files. */
function hasMoved(
  loaded: LoadedNamespaces,
  {
    pool,
    maintenance,
    checkpointer,
  }: {
    readonly pool: MemoryPool;
    readonly maintenance: GraphMaintenance;
    readonly checkpointer: SegmentCheckpointer;
  },
): boolean {
  const { hasNodeCodes } = pool.first;
  const isDone = (segment: SegmentWriter) =>
    segment.context.hasNodeCodes === hasNodeCodes && maintenance.progressOf(segment).building === null;
  return loaded.segments().every(isDone) && isMemoryQuiet(loaded, checkpointer);
}

/** Lets what was in memory before be loaded again before the first query asks for it. */
function noteSaved(
  profile: IndexProfile,
  { store }: IndexFiles,
  { ledger, loaded }: { readonly ledger: DerivedLedger; readonly loaded: LoadedNamespaces },
): void {
  const saved = new Set(ledger.namespaceIds());
  if (saved.size === 0) return;
  const vectorBytes = (profile.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  const namespaces: WrittenNamespace[] = [];
  for (const { row } of store.namespaces.list('', null)) {
    const { namespaceId, recordCount: records, sizeBytes } = row;
    if (!saved.has(namespaceId)) continue;
    const otherBytes = Math.max(0, sizeBytes - records * vectorBytes);
    namespaces.push({ namespaceId, filterable: filterableFields(profile, row), records, otherBytes });
  }
  loaded.prefetcher.noteSaved(namespaces);
}

function memoryUse(
  pool: MemoryPool,
  loaded: LoadedNamespaces,
  calls: Pick<IndexMemoryUse, 'empty' | 'leaveOld'>,
): IndexMemoryUse {
  return {
    get frames() {
      return pool.frames;
    },
    get evictableFrames() {
      return pool.frames - pool.framesMin;
    },
    get lastUsed() {
      return loaded.lastUsed;
    },
    ...calls,
  };
}

function emptyMemory(
  pool: MemoryPool,
  loaded: LoadedNamespaces,
  post: OpenOptions['announce'],
): readonly WebAssembly.Memory[] {
  const { memories } = pool;
  const left = pool.renew();
  post({ kind: 'emptied', memory: pool.first.arena.memory });
  left.announceStructure();
  loaded.forgetAll();
  return memories;
}
