// A bulk import as its caller sees it.
import type { ImportColumns } from './import-columns.ts';

export type ImportState = 'Pending' | 'InProgress' | 'Completed' | 'Failed' | 'Cancelled';
export type OnError = 'abort' | 'continue';

export interface RequestedImport {
  readonly uri: string;
  readonly onError: OnError;
  /** Absent where the files have the names of records. */
  readonly columns?: ImportColumns;
}

/** A file that the caller sends, for one namespace. */
export interface RequestedUpload extends Omit<RequestedImport, 'uri'> {
  /** Stored name. */
  readonly namespace: string;
  /** Read once, after the caller may import; it throws where the body does not arrive whole. */
  readonly content: AsyncIterable<Uint8Array>;
}

export interface ImportDetails {
  readonly id: string;
  readonly uri: string;
  readonly state: ImportState;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** 0 to 100. */
  readonly percent: number;
  /** Its records in the index; while it runs, the rows stored so far. */
  readonly recordsImported: number;
  /** Rows, or whole files, that were refused. */
  readonly rowsRefused: number;
  /** Files among them, of which nothing or only the beginning was read. */
  readonly filesUnread: number;
  /** Rows that became records, including repeated ids. */
  readonly rowsAccepted: number;
  readonly error: string | null;
}

/** A refused row or, without a row, a refused file or the rest of one. */
export interface ImportError {
  readonly file: string;
  /** From 1. */
  readonly row: number | null;
  readonly id: string | null;
  readonly reason: string;
}

/** Errors of rows stored per import; more are only counted. Those of files are all stored. */
export const IMPORT_ERRORS_KEPT_MAX = 10_000;
/** Of a file that is uploaded. */
export const UPLOAD_BYTES_MAX = 1024 ** 3;
/** Uploads of an index that are arriving, waiting or being imported. */
export const UPLOADS_MAX = 16;
export const IMPORT_URI_CHARS_MAX = 1_500;
export const INTEGRATION_ID_CHARS_MAX = 1_000;
export const IMPORT_ID_CHARS_MAX = 1_000;
