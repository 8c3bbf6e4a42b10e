// What an export's writing thread is called for.
import type { ManifestFile } from '../../domain/imports/manifest.ts';
import type { RecordFormat } from '../../domain/imports/record-format.ts';
import type { PackedRecords } from '../../engine/port/packed-records.ts';

export interface WriterStart {
  readonly format: RecordFormat;
  /** When a file has so many, the next is begun. */
  readonly fileBytes: number;
}

export interface ExportBatch {
  /** Folder of the namespace. */
  readonly folder: string;
  readonly records: PackedRecords;
  /** True for the last of its namespace. */
  readonly isLast: boolean;
}

/** Parts of files, in order; one file is open at a time. */
export type Output =
  | { readonly type: 'open'; readonly path: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'close'; readonly file: ManifestFile };

export interface WriterMethods {
  /** One batch at a time, of which the files go on where the last one ended. */
  readonly add: { readonly request: ExportBatch; readonly response: readonly Output[] };
}
