// What a migration reads from another vector database: one collection, described, counted and read page by page.
import type { JsonObject } from '../../../domain/json.ts';
import type { Loss } from '../losses.ts';
import type { WireSparse } from '../wire-record.ts';

export interface ForeignRecord {
  readonly id: string;
  /** Null where the record has no dense vector. */
  readonly values: readonly number[] | null;
  readonly sparse?: WireSparse | null;
  /** As the source has them: nested, with nulls. */
  readonly fields: JsonObject;
  /** What the source has of the record beside this, once for each value. */
  readonly leftOut?: readonly Loss[];
}

export interface ForeignPage {
  readonly records: readonly ForeignRecord[];
  /** Where the next page starts, also in a later run; null after the last page. */
  readonly next: string | null;
}

export type TargetMetric = 'cosine' | 'dotproduct' | 'euclidean';

export interface ForeignCollection {
  readonly dimension: number;
  readonly metric: TargetMetric;
  readonly records: number;
}

export interface ForeignSource {
  /** @throws CliProblem if there is no such collection, or none that can be copied */
  describe(): Promise<ForeignCollection>;
  /** The page at a cursor; null for the first. Called after `describe`. @throws CliProblem */
  page(cursor: string | null): Promise<ForeignPage>;
  close(): Promise<void>;
}

export interface SourceOptions {
  /** The address without the name of the database before the plus sign. */
  readonly url: URL;
  readonly collection: string;
  /** The key, token or password; null for none. */
  readonly key: string | null;
  /** The vector or column to copy, where there are several. */
  readonly vector: string | null;
  readonly tenant: string | null;
  readonly signal: AbortSignal;
}

export const PAGE_RECORDS = 200;
