// The limits and properties that an engine declares. Callers read them instead of assuming those of one engine.

export interface EngineCapabilities {
  /** The highest dimension of a dense index. */
  readonly dimensionMax: number;
  /** True when sparse searches are exact. */
  readonly sparseExact: boolean;
  /** True when it serves document indexes and full text. */
  readonly documents: boolean;
  /** True when it ranks by the texts of an index of vectors (`IndexProfile.rankedFields`). */
  readonly ranksTexts: boolean;
  /** True when it notes which records change, so that an index can take another model while it answers. */
  readonly tracksChanges: boolean;
  /** True when it can keep the history of an index. */
  readonly history: boolean;
  /** True when namespaces can be branched. */
  readonly branches: boolean;
  /** True when indexes may have memory profiles. */
  readonly memoryProfiles: boolean;
  /** True when it also writes and reads copies in the portable form, which any such engine reads. */
  readonly portableCopies: boolean;
  /** The most records of one `IndexCopies.write`. */
  readonly writeRecordsMax: number;
  /** The most bytes of one `IndexCopies.write`. */
  readonly writeBytesMax: number;
  /**
   * The most records that one `StagedNamespaces.publish` merges: the records, in all, of existing namespaces that have
   * the names of an owner's staged ones.
   */
  readonly mergedRecordsMax: number;
}
