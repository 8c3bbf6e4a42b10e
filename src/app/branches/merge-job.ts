// The job that merges a branch into its source: part after part, until all that it changed is there, too.
import type { Merge, OnConflict } from '../../domain/branches/services.ts';
import { refuseWhileRemade } from '../../domain/embedding/remade-vectors.ts';
import { type ExpiryMoment, systemClock } from '../../domain/expiry/time-to-live.ts';
import { Fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { Index, IndexProfile } from '../../domain/index-model.ts';
import { type Job, jobOfKind } from '../../domain/jobs.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';

export const MERGE_KIND = 'merge-branch';

/** A crash counts as a start. */
const ATTEMPTS_MAX = 10;
const PERCENT_UNFINISHED_MAX = 99.9;

export interface MergeInput {
  readonly branch: string;
  /** When the branch was created, in milliseconds since 1970. */
  readonly createdMs?: number | undefined;
  readonly onConflict: OnConflict;
  /** The last write when it was requested. */
  readonly begunLsn: number;
  /** The storage that the branch is in: an index that takes another model gets another. */
  readonly storageId: string;
}

export interface MergeCounts {
  readonly written: number;
  readonly deleted: number;
  readonly conflicts: number;
}

const NOTHING_DONE: MergeCounts = { written: 0, deleted: 0, conflicts: 0 };

export interface MergeJobParts {
  readonly engine: Pick<VectorStore, 'branches'>;
  /** Undefined once the index is gone. */
  readonly profile: (indexId: string) => IndexProfile | undefined;
  readonly indexes: { byId(id: string): Index | undefined };
}

/** Faults that a retry would meet again. */
const FOR_GOOD = new Set([
  'invalid-argument',
  'branch-not-found',
  'index-not-found',
  'index-damaged',
  'storage-missing',
  'record-damaged',
  'reembedding-under-way',
]);

export function mergeJob(parts: MergeJobParts): JobKind {
  return {
    kind: MERGE_KIND,
    attemptsMax: ATTEMPTS_MAX,
    run: async (run) => {
      try {
        await merge(parts, run);
      } catch (error) {
        run.signal.throwIfAborted();
        const isFinal = error instanceof Fault && FOR_GOOD.has(error.condition);
        throw isFinal ? new JobFailure(error.message, error) : error;
      }
    },
  };
}

export function mergeOf(job: Job): Merge {
  const { input, progress, state, percent, error, createdAt, finishedAt } = jobOfKind<
    MergeInput,
    MergeCounts
  >(job);
  const { branch, onConflict, begunLsn } = input;
  return {
    ...{ state, percent, error, createdAt, finishedAt },
    ...{ branch, onConflict, fromLsn: begunLsn },
    ...(progress ?? NOTHING_DONE),
  };
}

export function mergeInputOf(job: Job): MergeInput {
  return jobOfKind<MergeInput>(job).input;
}

/** The moment by which an index with time to live is looked at now; undefined without. */
export function expiryOf({ timeToLive }: Pick<IndexProfile, 'timeToLive'>): ExpiryMoment | undefined {
  return timeToLive === undefined ? undefined : { field: timeToLive.field, now: systemClock() };
}

async function merge({ engine, profile, indexes }: MergeJobParts, run: JobRun): Promise<void> {
  const { job, signal } = run;
  const { input, progress } = jobOfKind<MergeInput, MergeCounts>(job);
  const index = profile(job.indexId ?? '');
  if (index === undefined) throw new JobFailure('The index was deleted.');
  if (index.id !== input.storageId)
    throw new JobFailure('The index has taken another model since, and its branches are whole.');
  if (progress === null) {
    const present = indexes.byId(job.indexId ?? '');
    if (present !== undefined) refuseWhileRemade(present);
    await run.checkpoint(NOTHING_DONE);
  }
  const branches = engine.branches(index);
  const expiry = expiryOf(index);
  const before = progress ?? NOTHING_DONE;
  // Of this run alone: the engine counts from the first call with a key on, and earlier runs are in `before`.
  const key = newId();
  for (let isDone = false; !isDone; ) {
    signal.throwIfAborted();
    const { branch, createdMs, onConflict } = input;
    const request = { key, branch, createdMs, onConflict, expiry };
    const part = await retryWhileOverloaded(signal, () => branches.merge(request));
    isDone = part.isDone;
    run.percent(Math.min(PERCENT_UNFINISHED_MAX, 100 * part.share));
    // What an earlier run has merged is not looked at again; its conflicts are.
    await run.checkpoint({
      written: before.written + part.written,
      deleted: before.deleted + part.deleted,
      conflicts: part.conflicts,
    } satisfies MergeCounts);
  }
}
