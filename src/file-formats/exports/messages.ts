// The calls of an export's writing thread.
import type { DocumentSchema } from '../../domain/document-schema.ts';
import type { ManifestFile } from '../../domain/imports/manifest.ts';
import type { RecordFormat } from '../../domain/imports/record-format.ts';
import type { PackedRecords } from '../../engine/port/packed-records.ts';

export interface WriterStart {
  readonly format: RecordFormat;
  /** The schema of a document index; null on indexes of vectors. */
  readonly documents: DocumentSchema | null;
  /** A file of this size ends, and the next one begins. */
  readonly fileBytes: number;
}

export interface ExportBatch {
  /** The folder of the namespace. */
  readonly folder: string;
  readonly records: PackedRecords;
  /** True for the last batch of its namespace. */
  readonly isLast: boolean;
}

/** Parts of files, in order. One file is open at a time. */
export type Output =
  | { readonly type: 'open'; readonly path: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'close'; readonly file: ManifestFile };

export interface WriterMethods {
  /** Takes one batch at a time; its records continue the open file. */
  readonly add: { readonly request: ExportBatch; readonly response: readonly Output[] };
}
