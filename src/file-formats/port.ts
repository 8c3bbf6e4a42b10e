// What use cases may use of file formats: readers of imports, writers of exports, and the addresses of both.
import type { Blobs } from '../blobs/port.ts';
import type { ExportBatch, Output, WriterStart } from './exports/messages.ts';
import type { ImportEvent, ReaderStart } from './imports/messages.ts';
import type { SourceRules } from './sources/open-source.ts';

export type { ExportBatch, Output, WriterStart } from './exports/messages.ts';
export type { ImportEvent, ImportPosition, ReaderStart, RefusedRow } from './imports/messages.ts';
export type { SourceRules } from './sources/open-source.ts';
export { AWS_STORAGE, type PublicStorage } from './sources/public-bucket.ts';
export type { S3Access } from './sources/s3-source.ts';
export { SourceProblem } from './sources/source.ts';
export { BadStorageUri, isUnder, parseStorageUri, type StorageLocation } from './sources/storage-uri.ts';

/** Yields the plan of an import, then batch after batch. @throws SourceProblem, SourceUnavailable */
export type ReadImport = (start: ReaderStart, signal: AbortSignal) => AsyncIterable<ImportEvent>;

/** Turns batches of records into the bytes of files. */
export interface ExportWriter {
  /** Takes one batch at a time and moves its buffers away. */
  add(batch: ExportBatch): Promise<readonly Output[]>;
  close(): Promise<void>;
}

export type OpenExportWriter = (start: WriterStart) => ExportWriter;

/** Opens the address that an export writes to. @throws SourceProblem when the server may not write there */
export type OpenExportLocation = (uri: string, rules: SourceRules) => Promise<Blobs>;
