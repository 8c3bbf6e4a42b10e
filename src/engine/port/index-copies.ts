// Exports, imports, and bulk reads and writes of records, for jobs. They are streams, so memory stays flat at any size.
import type { CopyForm } from './copy-forms.ts';
import type { NeighborLists, NeighborRequest } from './neighbor-lists.ts';
import type { PackedRecords } from './packed-records.ts';
import type { Lsn, NamespaceSummary } from './reader-and-writer.ts';

/** The size of a snapshot of an index, and the write it was taken after. */
export interface CopyDetails {
  /** The LSN of the last write that it contains. */
  readonly seq: Lsn;
  readonly recordCount: number;
  readonly namespaceCount: number;
  /** Bytes of the records as stored: ids, vectors and metadata. */
  readonly sizeBytes: number;
}

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ExportOptions extends CopyOptions {
  /** By default the fast one. An engine whose fast form is the portable one has no other. */
  readonly form?: CopyForm | undefined;
}

export interface ImportOptions extends CopyOptions {
  /** The expected SHA-256 of all bytes, in hexadecimal; checked before the index becomes visible. */
  readonly sha256?: string | undefined;
  /**
   * How far the LSN of the new index is ahead of the copy's, so that its next writes have higher ones than whatever the
   * source writes meanwhile. An engine whose indexes stay where they are may ignore it. Default 0.
   */
  readonly lsnAhead?: number | undefined;
}

export interface IndexExport extends CopyDetails {
  /** An estimate of the bytes to come. It can be off by a fifth, and by far more where vectors repeat. */
  readonly bytesExpected: number;
  /**
   * The copy, compressed where that helps. Read it once and to its end: only then is it complete. A piece is valid until
   * the next one is requested, because its buffer is reused.
   * @throws CopyFailed overtaken or interrupted; index-not-found when the index is deleted meanwhile; the signal's reason
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** SHA-256 of all bytes, in hexadecimal. Resolves when all have been read, and rejects when reading them fails. */
  readonly sha256: Promise<string>;
  /** Ends the export. Always call it, also after an error; safe to repeat. */
  release(): Promise<void>;
}

/** A position in the order of all records. */
export interface RecordPosition {
  readonly namespace: string;
  /** Exclusive; null means before the namespace's first record. */
  readonly id: string | null;
}

export interface ReadingOptions extends CopyOptions {
  /** Only this namespace; by default all. */
  readonly namespace?: string | undefined;
  /** Where an earlier reading ended. The records are those of the index as it is now, not as it was then. */
  readonly after?: RecordPosition | undefined;
}

export interface RecordBatch {
  readonly namespace: NamespaceSummary;
  /** True for the last batch of its namespace. An empty namespace has one batch without records. */
  readonly isLast: boolean;
  readonly records: PackedRecords;
}

export interface RecordReading extends CopyDetails {
  /** Namespaces in bytewise order of their names, their records in bytewise order of their ids. @throws as `bytes` of IndexExport */
  readonly batches: AsyncIterable<RecordBatch>;
  /** Ends the reading. Always call it, also after an error; safe to repeat. */
  release(): Promise<void>;
}

/** Copies of one index as a whole, and its records in bulk. */
export interface IndexCopies {
  /**
   * Opens a consistent snapshot of the index. Writes to the index continue.
   * @throws index-not-found, overloaded
   */
  export(options?: ExportOptions): Promise<IndexExport>;
  /**
   * Creates the storage of a new index from an export, all or nothing: a failure or a crash leaves nothing behind.
   * Durable when it resolves. The first bytes tell the form of the copy.
   * @param bytes the bytes of one export, in pieces of any size; their buffers are transferred
   * @throws CopyFailed damaged, newer, mismatch or foreign; storage-full; overloaded; the signal's reason
   */
  import(bytes: AsyncIterable<Uint8Array>, options?: ImportOptions): Promise<CopyDetails>;
  /**
   * Opens a consistent snapshot for reading records. Its counts are those of the index, or of the requested namespace,
   * regardless of `after`.
   * @throws index-not-found, overloaded
   */
  read(options?: ReadingOptions): Promise<RecordReading>;
  /** The nearest records of many, as searches find them now. Ask for so few that one call is short. @throws overloaded */
  neighbors(request: NeighborRequest): Promise<NeighborLists>;
  /**
   * Inserts or replaces many records, all or none, as an upsert does: on disk and visible when it resolves.
   * @param records at most `capabilities.writeRecordsMax` and `writeBytesMax`; their buffers are transferred
   * @throws RangeError for larger batches; overloaded, interrupted, storage-full, index-not-found
   */
  write(namespace: string, records: PackedRecords): Promise<Lsn>;
}
