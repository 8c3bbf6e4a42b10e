// What an engine can do, as it declares it: callers ask here instead of assuming the limits of one engine.

export interface EngineCapabilities {
  /** Dimensions a dense index may have. */
  readonly dimensionMax: number;
  /** True when searches by sparse vectors miss no result. */
  readonly sparseExact: boolean;
  /** Records of one `IndexCopies.write`. */
  readonly writeRecordsMax: number;
  /** Bytes of one `IndexCopies.write`. */
  readonly writeBytesMax: number;
  /**
   * Records that others may have written to the published names of an owner's staged namespaces, all together, for
   * `StagedNamespaces.publish` to merge them.
   */
  readonly mergedRecordsMax: number;
}
