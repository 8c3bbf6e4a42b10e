// The figures that an engine reports to monitoring, as plain data. Null means unknown or not in memory.

export interface EngineMetrics {
  readonly indexes: readonly IndexMetrics[];
  readonly threads: readonly ThreadMetrics[];
  /** Left out by engines that keep no files open. */
  readonly open?: OpenIndexFigures;
  /** Left out by engines that bound no memory. */
  readonly memory?: MemoryFigures;
}

/** The memory for search, which all indexes share. */
export interface MemoryFigures {
  readonly bytesMax: number;
  /** What indexes have taken, with what they keep free for themselves; it may exceed the limit a little. */
  readonly bytesUsed: number;
}

/** How many indexes have their files open, and how often that changed since the start. */
export interface OpenIndexFigures {
  readonly open: number;
  readonly openings: number;
  readonly closings: number;
}

export interface IndexMetrics {
  readonly indexId: string;
  /** Null for an index that nobody has used since the start; as it was when it closed for one that was closed since. */
  readonly records: number | null;
  readonly bytesOnDisk: number;
  /** Null when nothing of the index is in memory. */
  readonly memory: IndexMemory | null;
  readonly structure: IndexStructure | null;
  /** Namespaces that do not fit in memory, or cannot be loaded: searches read their records. Null for an index that is not open. */
  readonly namespacesOversized: number | null;
  /** Null when its files were not read in the background yet. */
  readonly scrub: IndexScrub | null;
  readonly damage: IndexDamage;
  /** Null for an index that is not open, or keeps no history. */
  readonly history: HistoryFigures | null;
  /** Null for an index that is not open. */
  readonly branches: BranchFigures | null;
}

/** The branches of an index. */
export interface BranchFigures {
  readonly count: number;
  /** Records that they do not share, and their bytes. */
  readonly ownRecords: number;
  readonly ownBytes: number;
  /** Records that they show of their sources, and their bytes. */
  readonly sharedRecords: number;
  readonly sharedBytes: number;
}

/** What an index keeps of the past. */
export interface HistoryFigures {
  /** On disk, with what waits to be used again. */
  readonly bytes: number;
  /** The earliest moment to return to, in seconds since 1970. */
  readonly from: number;
}

/** The background reading of an index's files since the start. */
export interface IndexScrub {
  readonly bytes: number;
  /** When it was last read to its end, in seconds since 1970; null for not yet. */
  readonly finishedAt: number | null;
}

/** What was found damaged since the start, by requests or in the background. */
export interface IndexDamage {
  /** True when the index is closed for it. */
  readonly isClosed: boolean;
  /** Damaged records and vectors that were met, each once. */
  readonly records: number;
}

export const NO_DAMAGE: IndexDamage = { isClosed: false, records: 0 };

/** The other figures of an index of which no more than its size is known. */
export const UNMEASURED = {
  memory: null,
  structure: null,
  namespacesOversized: null,
  scrub: null,
  damage: NO_DAMAGE,
  history: null,
  branches: null,
} as const satisfies Partial<IndexMetrics>;

/** Bytes of memory by purpose. */
export interface IndexMemory {
  /** Quantized vectors. */
  readonly codes: number;
  readonly graph: number;
  /** Metadata for filters. */
  readonly columns: number;
  readonly sparse: number;
  /** The text index. */
  readonly texts: number;
  readonly other: number;
  /** Quantized vectors in a file, of which the system keeps in memory what it has room for: not among the others. */
  readonly codesInFile: number;
}

/** All that is certainly in memory. */
export function bytesInMemory({ codesInFile: _, ...parts }: IndexMemory): number {
  return Object.values(parts).reduce((sum, bytes) => sum + bytes, 0);
}

/** Sums over the namespaces that are in memory. Each record has a slot, and keeps it for a while after its deletion. */
export interface IndexStructure {
  readonly namespacesLoaded: number;
  readonly slots: number;
  /** Slots searched through graphs. */
  readonly graphSlots: number;
  /** Slots that no graph contains yet; searches scan them. */
  readonly unindexedSlots: number;
  /** Slots of the running builds; null when none runs. */
  readonly building: { readonly done: number; readonly total: number } | null;
}

export interface ThreadMetrics {
  readonly kind: 'reader' | 'writer' | 'builder';
  /** From 0 within its kind. */
  readonly number: number;
  /** Requests that it has not answered yet, and its share of the reads that wait for any reader. */
  readonly queued: number;
  /**
   * Milliseconds since the oldest of them came; 0 without any, and for builders. Changes that may take minutes count until
   * they begin.
   */
  readonly oldestMs: number;
  /** How often it was restarted after a crash. */
  readonly restarts: number;
}
