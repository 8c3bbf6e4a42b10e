// Copies of whole indexes and records in bulk, as jobs see them: streams, so that memory stays flat at any size.
import type { PackedRecords } from './packed-records.ts';
import type { Lsn, NamespaceSummary } from './reader-and-writer.ts';

/** What a snapshot of an index holds. */
export interface CopyDetails {
  /** The last write it shows. */
  readonly seq: Lsn;
  readonly recordCount: number;
  readonly namespaceCount: number;
  /** Bytes of the records as stored: ids, vectors and metadata. */
  readonly sizeBytes: number;
}

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ImportOptions extends CopyOptions {
  /** What the SHA-256 of all bytes must be; checked before the index is put in its place. */
  readonly sha256?: string | undefined;
}

export interface IndexExport extends CopyDetails {
  /** About how many bytes will come: off by a fifth at times, by far more where vectors repeat themselves. */
  readonly bytesExpected: number;
  /**
   * The copy, made smaller where that helps. To be read once, to its end: only then is it whole. A piece is good until the next
   * one is asked for: its buffer is used again.
   * @throws CopyFailed overtaken or interrupted; index-not-found when the index is deleted meanwhile; the signal's reason
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** SHA-256 of all bytes, in hexadecimal; known when they have been read. Rejects as they do. */
  readonly sha256: Promise<string>;
  /** Ends the export, at any time. Call it whatever has happened; safe to repeat. */
  release(): Promise<void>;
}

/** A place in the order of all records. */
export interface RecordPosition {
  readonly namespace: string;
  /** Exclusive; null means before the namespace's first record. */
  readonly id: string | null;
}

export interface ReadingOptions extends CopyOptions {
  /** Only this namespace; by default all. */
  readonly namespace?: string | undefined;
  /** Where an earlier reading ended; what comes is of the index as it is now. */
  readonly after?: RecordPosition | undefined;
}

export interface RecordBatch {
  readonly namespace: NamespaceSummary;
  /** True on the last batch of its namespace, which has no records when the namespace has none. */
  readonly isLast: boolean;
  readonly records: PackedRecords;
}

export interface RecordReading extends CopyDetails {
  /** Namespaces in bytewise order of their names, their records in bytewise order of their ids. @throws as IndexExport */
  readonly batches: AsyncIterable<RecordBatch>;
  /** Ends the reading, at any time. Call it whatever has happened; safe to repeat. */
  release(): Promise<void>;
}

/** Copies of one index as a whole, and its records in bulk. */
export interface IndexCopies {
  /**
   * Opens a consistent snapshot of the index, which goes on being written.
   * @throws index-not-found, overloaded
   */
  export(options?: CopyOptions): Promise<IndexExport>;
  /**
   * Creates the storage of a new index from what an export gave, all or nothing: what fails, or is cut off by a crash,
   * leaves nothing. Durable when it resolves.
   * @param bytes the bytes of one export, in pieces of any size; whole buffers are moved away
   * @throws CopyFailed damaged, newer or mismatch; storage-full; overloaded; the signal's reason
   */
  import(bytes: AsyncIterable<Uint8Array>, options?: ImportOptions): Promise<CopyDetails>;
  /**
   * The records of a consistent snapshot. The counts are of the index, or of the namespace asked for, whatever `after` is.
   * @throws index-not-found, overloaded
   */
  read(options?: ReadingOptions): Promise<RecordReading>;
  /**
   * Inserts or replaces many records, all or none, as an upsert does: on disk and visible when it resolves.
   * @param records at most `capabilities.writeRecordsMax` and `writeBytesMax`; their buffers are moved away
   * @throws RangeError for larger batches; overloaded, interrupted, storage-full, index-not-found
   */
  write(namespace: string, records: PackedRecords): Promise<Lsn>;
}
