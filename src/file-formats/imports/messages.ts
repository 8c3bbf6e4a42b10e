// The input and the events of an import's reading thread.
import type { ListedNamespace } from '../../domain/imports/import-layout.ts';
import type { PackedRecords } from '../../engine/port/packed-records.ts';
import type { SourceRules } from '../../storage-locations/open-source.ts';
import type { FilePosition, PendingTexts, RecordShape, Refused } from '../read-records.ts';

/** The position of an import in its files. */
export interface ImportPosition extends FilePosition {
  /** The number of the file in the plan, from 0. */
  readonly file: number;
}

export interface ReaderStart {
  readonly uri: string;
  readonly rules: SourceRules;
  readonly shape: RecordShape;
  /** Null to start at the beginning. */
  readonly from: { readonly place: ImportPosition; readonly planDigest: string } | null;
}

export interface RefusedRow extends Omit<Refused, 'row'> {
  readonly file: string;
  /** Null for the whole file, or the rest of it. */
  readonly row: number | null;
}

/** What the reading thread yields. */
export type ImportEvent =
  | {
      readonly type: 'plan';
      readonly planDigest: string;
      /** The stored names of all namespaces. */
      readonly namespaces: readonly string[];
      /** The namespaces in the manifest, which exist even without records. */
      readonly listed: readonly ListedNamespace[];
    }
  | {
      readonly type: 'batch';
      readonly file: string;
      readonly namespace: string;
      /** Null when every row was refused. */
      readonly records: PackedRecords | null;
      /** Texts to embed, one entry for each record, before it is complete; empty where nothing is embedded. */
      readonly pending: readonly PendingTexts[];
      readonly refused: readonly RefusedRow[];
      /** Where reading continues after this batch. */
      readonly place: ImportPosition;
      readonly percent: number;
    };
