// What an engine tells monitoring about itself: plain data. Null stands for what is not known or not in memory.

export interface EngineMetrics {
  readonly indexes: readonly IndexMetrics[];
  readonly threads: readonly ThreadMetrics[];
}

export interface IndexMetrics {
  readonly indexId: string;
  /** Null for an index that nobody has asked anything since the start: it is not open. */
  readonly records: number | null;
  readonly bytesOnDisk: number;
  /** Null when nothing of the index is in memory. */
  readonly memory: IndexMemory | null;
  readonly structure: IndexStructure | null;
}

/** Bytes of memory by what they hold. */
export interface IndexMemory {
  /** Quantised vectors. */
  readonly codes: number;
  readonly graph: number;
  /** Metadata for filters. */
  readonly columns: number;
  readonly sparse: number;
  readonly other: number;
}

/** Sums over the namespaces that are in memory. A slot is the place of a record; deleted ones keep theirs for a while. */
export interface IndexStructure {
  readonly namespacesLoaded: number;
  readonly slots: number;
  /** Slots searched through graphs. */
  readonly graphSlots: number;
  /** Slots that wait to be folded into a graph, and are scanned meanwhile. */
  readonly tailSlots: number;
  /** Slots of the builds that run now; null when none does. */
  readonly building: { readonly done: number; readonly total: number } | null;
}

export interface ThreadMetrics {
  readonly kind: 'reader' | 'writer' | 'builder';
  /** From 0 within its kind. */
  readonly number: number;
  /** Requests given to it and not answered yet, and its share of reads that wait for any reader. */
  readonly queued: number;
  /** How often it was started anew after its death. */
  readonly restarts: number;
}
