// What use cases may use of file formats: readers of imports and writers of exports.
import type { ExportBatch, Output, WriterStart } from './exports/messages.ts';
import type { ImportEvent, ReaderStart } from './imports/messages.ts';

export type { ExportBatch, Output, WriterStart } from './exports/messages.ts';
export type { ImportEvent, ImportPosition, ReaderStart, RefusedRow } from './imports/messages.ts';
export type { PendingTexts } from './read-records.ts';

/** Yields the plan of an import, then batch after batch. @throws SourceProblem, SourceUnavailable */
export type ReadImport = (start: ReaderStart, signal: AbortSignal) => AsyncIterable<ImportEvent>;

/** Turns batches of records into the bytes of files. */
export interface ExportWriter {
  /** Takes one batch at a time and moves its buffers away. */
  add(batch: ExportBatch): Promise<readonly Output[]>;
  close(): Promise<void>;
}

export type OpenExportWriter = (start: WriterStart) => ExportWriter;
