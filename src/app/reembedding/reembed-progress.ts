// The progress of a re-embedding, as its job stores it and as callers see it.
import type { Reembedding } from '../../domain/embedding/reembedding.ts';
import { type Job, jobOfKind } from '../../domain/jobs.ts';
import type { RecordPosition } from '../../engine/port/index-copies.ts';

export const REEMBED_KIND = 'reembed';

export interface ReembedProgress {
  /** The storage, the source of the new vectors and the fields of the texts; with others, the job starts over. */
  readonly target: string;
  /** The last processed record. */
  readonly after: RecordPosition | null;
  readonly remade: number;
  readonly kept: number;
  /** The imports that it comes after; absent before it has looked. */
  readonly awaited?: readonly string[];
}

/** Null before the first checkpoint. Trusts the row: only the job writes it. */
export function progressOf(job: Job): ReembedProgress | null {
  return jobOfKind<unknown, ReembedProgress>(job).progress;
}

export function reembeddingOf(job: Job): Reembedding {
  const { state, percent, error, createdAt, finishedAt } = job;
  const { remade = 0, kept = 0 } = progressOf(job) ?? {};
  return { state, percent, error, createdAt, finishedAt, remade, kept };
}
