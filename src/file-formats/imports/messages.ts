// What an import's reading thread is told to read, and what it gives.
import type { ListedNamespace } from '../../domain/imports/import-layout.ts';
import type { VectorShape } from '../../domain/records/vector-record.ts';
import type { PackedRecords } from '../../engine/port/packed-records.ts';
import type { FilePosition, Refused } from '../read-records.ts';
import type { SourceRules } from '../sources/open-source.ts';

/** How far an import has come. */
export interface ImportPosition extends FilePosition {
  /** Number of the file in the plan, from 0. */
  readonly file: number;
}

export interface ReaderStart {
  readonly uri: string;
  readonly rules: SourceRules;
  readonly shape: VectorShape;
  /** Null for the beginning. */
  readonly from: { readonly place: ImportPosition; readonly planDigest: string } | null;
}

export interface RefusedRow extends Omit<Refused, 'row'> {
  readonly file: string;
  /** Null where it is the whole file, or the rest of it. */
  readonly row: number | null;
}

/** What reading gives. */
export type ImportEvent =
  | {
      readonly type: 'plan';
      readonly planDigest: string;
      /** Stored names of all. */
      readonly namespaces: readonly string[];
      /** Those that a manifest lists: to be there even without records. */
      readonly listed: readonly ListedNamespace[];
    }
  | {
      readonly type: 'batch';
      readonly namespace: string;
      /** Null when every row was refused. */
      readonly records: PackedRecords | null;
      readonly refused: readonly RefusedRow[];
      /** Where reading goes on behind this batch. */
      readonly place: ImportPosition;
      readonly percent: number;
    };
