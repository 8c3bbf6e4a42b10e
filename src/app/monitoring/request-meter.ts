// Counts data plane requests on the main thread per index and operation: number, latency, errors.

import type { FaultName } from '../../domain/faults.ts';
import type { AuditedRecall } from '../../domain/recall-promise.ts';
import { LATENCY_BOUNDS, LatencyHistogram } from './latency-histogram.ts';
import { LatestAudits, type SearchAudits } from './latest-audits.ts';

export const OPERATIONS = ['query', 'upsert', 'fetch', 'update', 'delete', 'list', 'other'] as const;
export type Operation = (typeof OPERATIONS)[number];

export const OPERATION_OF: ReadonlyMap<string, Operation> = new Map([
  ['query_vectors', 'query'],
  ['search_records', 'query'],
  ['search_documents', 'query'],
  ['upsert_vectors', 'upsert'],
  ['upsert_records', 'upsert'],
  ['upsert_documents', 'upsert'],
  ['fetch_vectors', 'fetch'],
  ['fetch_vectors_by_metadata', 'fetch'],
  ['fetch_documents', 'fetch'],
  ['update_vectors', 'update'],
  ['update_documents', 'update'],
  ['delete_vectors', 'delete'],
  ['delete_documents', 'delete'],
  ['delete_vectors_by_query', 'delete'],
  ['list_vectors', 'list'],
  ['list_documents', 'list'],
]);
const MILLISECONDS_PER_SECOND = 1_000;
const FIRST_ERROR_STATUS = 400;

/** How a request ended. */
export interface RequestOutcome {
  readonly status: number;
  /** Why it was refused or failed; absent for others. */
  readonly condition?: FaultName | undefined;
  /** From the whole request being there to its answer; from its beginning where that came first. */
  readonly milliseconds: number;
  /** The part of these in which models embedded and reranked. Default 0. */
  readonly modelMs?: number;
  /** What the engine told of its part, if it had one. */
  readonly work?: { readonly engineMs: number } & SearchAudits;
}

/** The weight of the newest search in the mean of expected recalls: some hundred searches count. */
const NEWEST_SHARE = 0.01;

export class OperationMeter extends LatencyHistogram {
  readonly errors = new Map<number, number>();
  /** Requests refused for want of capacity; what quotas refuse has the same status. */
  overloads = 0;
  /** The parts of `milliseconds` in which the engine and models worked; the others are spent in queues and on the way. */
  engineMs = 0;
  modelMs = 0;
  /** The mean of recent searches; null before the first. */
  expectedRecall: number | null = null;
  readonly #audits: LatestAudits;

  /** @param now milliseconds that never decrease */
  constructor(now: () => number = () => performance.now()) {
    super();
    this.#audits = new LatestAudits(now);
  }

  /** Of the latest searches with the same promise; null where nothing is known of them. */
  get auditedRecall(): AuditedRecall | null {
    return this.#audits.audited;
  }

  /** What the newest search promised; null for the usual recall. */
  get promisedRecall(): number | null {
    return this.#audits.promised;
  }

  note({ status, condition, milliseconds, modelMs = 0, work }: RequestOutcome): void {
    this.add(milliseconds);
    this.modelMs += modelMs;
    if (status >= FIRST_ERROR_STATUS) this.errors.set(status, (this.errors.get(status) ?? 0) + 1);
    if (condition === 'overloaded') this.overloads++;
    if (work === undefined) return;
    this.engineMs += Math.min(work.engineMs, milliseconds - modelMs);
    if (work.expectedRecall !== null) {
      const mean = this.expectedRecall ?? work.expectedRecall;
      this.expectedRecall = mean + (work.expectedRecall - mean) * NEWEST_SHARE;
    }
    this.#audits.note(work);
  }
}

/** The upper bound of the bucket that holds the quantile; the largest bound for those above all. */
export function quantileMs({ buckets, count }: OperationMeter, quantile: number): number {
  let below = 0;
  const at = buckets.findIndex((requests) => {
    below += requests;
    return below >= quantile * count;
  });
  return (LATENCY_BOUNDS[at] ?? LATENCY_BOUNDS.at(-1) ?? 0) * MILLISECONDS_PER_SECOND;
}

export type IndexMeter = ReadonlyMap<Operation, OperationMeter>;

const NOTHING: IndexMeter = new Map();

export class RequestMeter {
  readonly #indexes = new Map<string, Map<Operation, OperationMeter>>();
  readonly #exists: (indexId: string) => boolean;

  /** Forgets deleted indexes when it counts a new one. */
  constructor(exists: (indexId: string) => boolean) {
    this.#exists = exists;
  }

  add(indexId: string, endpointId: string, outcome: RequestOutcome): void {
    const operations = this.#indexes.get(indexId) ?? this.#addIndex(indexId);
    const operation = OPERATION_OF.get(endpointId) ?? 'other';
    let meter = operations.get(operation);
    if (meter === undefined) {
      meter = new OperationMeter();
      operations.set(operation, meter);
    }
    meter.note(outcome);
  }

  of(indexId: string): IndexMeter {
    return this.#indexes.get(indexId) ?? NOTHING;
  }

  #addIndex(indexId: string): Map<Operation, OperationMeter> {
    for (const known of this.#indexes.keys()) if (!this.#exists(known)) this.#indexes.delete(known);
    const added = new Map<Operation, OperationMeter>();
    this.#indexes.set(indexId, added);
    return added;
  }
}
