// An export as its caller sees it.
import type { ImportState } from './import-model.ts';
import type { RecordFormat } from './record-format.ts';

export interface RequestedExport {
  /** Destination; null for the server's own storage, from which callers download. */
  readonly uri: string | null;
  /** Stored name; null for all. */
  readonly namespace: string | null;
  readonly format: RecordFormat;
}

export interface ExportDetails extends RequestedExport {
  readonly id: string;
  readonly state: ImportState;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly percent: number;
  readonly recordsExported: number;
  readonly bytesWritten: number;
  readonly error: string | null;
}
