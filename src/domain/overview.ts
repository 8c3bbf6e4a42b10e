// What the console's first page shows of a project: its indexes with their sizes and requests, its jobs, and warnings.
import type { ProjectAccess } from './access.ts';
import type { Index } from './index-model.ts';
import type { Job } from './jobs.ts';
import type { AuditedRecall } from './recall-promise.ts';

/** Of the data requests since the start of the server. */
export interface RequestFigures {
  readonly count: number;
  readonly errors: number;
  /** Upper bounds in milliseconds, from a histogram; null without requests. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** The mean share of the true best that recent searches expect among their results; null before the first. */
  readonly expectedRecall: number | null;
  /** What audits of such searches have shown lately; null without audits. */
  readonly auditedRecall: AuditedRecall | null;
  /** The recall that the audited searches promised; null for the usual one. */
  readonly promisedRecall: number | null;
}

export interface IndexOverview {
  readonly index: Index;
  /** Null where counting would take long: too many indexes are not open. */
  readonly records: number | null;
  readonly bytesOnDisk: number | null;
  readonly bytesInMemory: number;
  readonly queries: RequestFigures;
}

export interface Overview {
  /** In name order. */
  readonly indexes: readonly IndexOverview[];
  /** Those that wait or run, oldest first. */
  readonly jobs: readonly Job[];
  /** For the operator, one or two sentences each. */
  readonly warnings: readonly string[];
}

export interface Overviews {
  read(access: ProjectAccess): Promise<Overview>;
}
