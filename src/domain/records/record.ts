// What a record is: its id, vectors and metadata, once checked.

export type MetadataValue = string | number | boolean | readonly string[];
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Entries in ascending index order, indices unique. */
export interface SparseVector {
  /** Uint32 dimension numbers. */
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/** A record ready to store: validated, 32-bit floats, denormals flushed to zero. */
export interface StorableRecord {
  readonly id: string;
  /** Length = the index's dimension; null on sparse indexes. */
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
  /** Metadata as JSON text (an object), at most METADATA_BYTES_MAX bytes; null when absent. */
  readonly metadataJson: string | null;
}
