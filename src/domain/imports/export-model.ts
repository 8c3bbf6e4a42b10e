// An export as its caller sees it.
import type { ImportState } from './import-model.ts';
import type { RecordFormat } from './record-format.ts';

export interface RequestedExport {
  /** Destination; null for the server's own storage, from which callers download. */
  readonly uri: string | null;
  /** Stored name; null for all. */
  readonly namespace: string | null;
  /** Null for the usual format of the index: JSON lines for documents, else Parquet. */
  readonly format: RecordFormat | null;
}

export interface ExportDetails extends RequestedExport {
  readonly format: RecordFormat;
  readonly id: string;
  readonly state: ImportState;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly percent: number;
  readonly recordsExported: number;
  readonly bytesWritten: number;
  readonly error: string | null;
}
