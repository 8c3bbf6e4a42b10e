// A promised recall: what the setting of an index says, what audits have shown of it, and how sure that is.
import type { ProjectAccess } from './access.ts';
import { invalid } from './faults.ts';
import { RECALL_TARGET_MAX } from './limits.ts';

/** What audits have shown: a share from 0 to 1, and the bounds of its 95 % interval. */
export interface AuditedRecall {
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** `held`: all of the interval keeps the promise. `broken`: none of it does. Else nobody knows yet. */
export type PromiseState = 'held' | 'broken' | 'undecided';

export function promiseState(promised: number, audited: AuditedRecall | null): PromiseState {
  if (audited === null) return 'undecided';
  if (audited.low >= promised) return 'held';
  return audited.high < promised ? 'broken' : 'undecided';
}

/** @throws invalid-argument for less than `least`, or more than can be promised */
export function checkRecall(
  value: unknown,
  { name, least }: { readonly name: string; readonly least: number },
): number {
  if (typeof value !== 'number' || !(value >= least && value <= RECALL_TARGET_MAX))
    throw invalid(`${name} must be a number from ${least} to ${RECALL_TARGET_MAX}`);
  return value;
}

const Z_95 = 1.959964;

/** Sums over audits, each counting for less the longer ago it was. */
export interface AuditSums {
  readonly missed: number;
  readonly found: number;
  /** Sums of squares and products of both, by the squares of the weights: how much single audits vary. */
  readonly missedSquared: number;
  readonly foundSquared: number;
  readonly product: number;
  /** Results by the squares of the weights. */
  readonly foundTwice: number;
}

/**
 * The interval of Wilson ("Probable Inference", 1927) for the share that was found. Its sample size is what equal
 * weights would need (Kish 1965), less where misses come in clusters, as of one query that misses many: by the variance
 * of the ratio of misses to results over audits.
 */
export function recallInterval(sums: AuditSums): AuditedRecall {
  const { missed, found, missedSquared, foundSquared, product, foundTwice } = sums;
  const rate = Math.min(1, missed / found);
  const size = found ** 2 / foundTwice;
  const binomial = (rate * (1 - rate)) / size;
  const observed = Math.max(0, missedSquared - 2 * rate * product + rate ** 2 * foundSquared) / found ** 2;
  const effective = observed > binomial && binomial > 0 ? (size * binomial) / observed : size;
  const share = 1 - rate;
  const spread = Z_95 ** 2 / effective;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z_95 / (1 + spread)) * Math.sqrt((share * rate) / effective + spread / (4 * effective));
  return { share, low: Math.max(0, center - half), high: missed === 0 ? 1 : Math.min(1, center + half) };
}

/** What an index promises, and what audits have shown of it. */
export interface RecallReport {
  /** Null where the index promises no more than usual. */
  readonly promised: number | null;
  /** Of searches with this promise since the start of the server; null where there were too few. */
  readonly audited: AuditedRecall | null;
  /** Null without a promise. */
  readonly state: PromiseState | null;
}

/** The promised recall of indexes, as callers set it. */
export interface RecallPromises {
  /** @throws index-not-found */
  describe(access: ProjectAccess, indexName: string): Promise<RecallReport>;
  /** In force for every search that begins after it resolves. @throws index-not-found, index-not-ready, invalid-argument */
  set(access: ProjectAccess, indexName: string, recall: number): Promise<RecallReport>;
  /** @throws index-not-found, index-not-ready */
  end(access: ProjectAccess, indexName: string): Promise<void>;
}
