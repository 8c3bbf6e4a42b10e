// The job that fills a new index with the records of another as they were at a moment.
import type { Blobs } from '../../blobs/port.ts';
import { storedProfileOf } from '../../domain/index-model.ts';
import { type Job, jobOfKind } from '../../domain/jobs.ts';
import type { IndexRecoveryInput } from '../../domain/recovery/services.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { WriteLogs } from '../../engine/port/write-log.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { judged } from '../backups/job-kinds.ts';
import type { IndexProvisioner } from '../indexes/index-lifecycle.ts';
import { type AdmitStart, admitFirstStart } from '../quotas/admit-first-start.ts';
import { LogDamaged } from './log-format.ts';
import { planStorage, type RecoveryPlan, Unrecoverable } from './plan-recovery.ts';
import { readStorage } from './read-timelines.ts';
import { recoverStorages } from './recover-storages.ts';

export const INDEX_RECOVERY_JOB = 'index-recovery';

/** A crash counts as a start. */
const ATTEMPTS_MAX = 10;
const PERCENT_UNFINISHED_MAX = 99.9;

/** The copy that the index was made from: a later run goes on with the changes since that one. */
interface Progress {
  readonly base: string;
}

export interface IndexRecoveryParts {
  readonly blobs: Blobs;
  readonly engine: Pick<VectorStore, 'createIndex' | 'copies'> & { readonly logs: WriteLogs };
  readonly provisioner: Pick<IndexProvisioner, 'byId' | 'ready' | 'fail'>;
  /** Whether there is storage of this id. */
  readonly isMade: (storageId: string) => boolean;
  readonly admitStart: AdmitStart;
}

export function indexRecoveryKind(parts: IndexRecoveryParts): JobKind<IndexRecoveryInput, Progress> {
  return {
    kind: INDEX_RECOVERY_JOB,
    attemptsMax: ATTEMPTS_MAX,
    run: (run) => recover(parts, run).catch((error: unknown) => Promise.reject(final(error))),
    undo: ({ input }) => parts.provisioner.fail(input.indexId),
  };
}

/** The earliest moment that active jobs recover, in milliseconds since 1970; null without one. */
export function neededMomentOf(jobs: readonly Job[]): number | null {
  const moments = jobs.flatMap((job) =>
    job.kind === INDEX_RECOVERY_JOB ? [jobOfKind<IndexRecoveryInput>(job).input.moment] : [],
  );
  return moments.length === 0 ? null : Math.min(...moments);
}

/** What a retry would meet again. */
function final(error: unknown): unknown {
  // Its message names the object, which is for the operator.
  const isDamaged =
    error instanceof LogDamaged || (error instanceof Error && error.cause instanceof LogDamaged);
  if (isDamaged) return new JobFailure('The recovery log is damaged at that moment.', error);
  return error instanceof Unrecoverable ? new JobFailure(error.message, error) : judged(error);
}

async function recover(parts: IndexRecoveryParts, run: JobRun<IndexRecoveryInput, Progress>): Promise<void> {
  const { blobs, engine, provisioner, isMade } = parts;
  const { job, signal, percent, checkpoint } = run;
  const { indexId, indexName, storage } = job.input;
  const index = provisioner.byId(indexId);
  if (index === undefined || index.state === 'Terminating')
    throw new JobFailure(`Index ${indexName} was deleted.`);
  // Already Ready: the process died before it recorded that, and the index may have new writes.
  if (index.state !== 'Initializing') return;
  await admitFirstStart(parts.admitStart, job);
  const plan = await planOf(blobs, job);
  const base = plan.storages.get(storage)?.base.id ?? '';
  // Before anything is made from it.
  if (job.progress === null) await checkpoint({ base });
  const profile = storedProfileOf(index);
  const onShare = (share: number) => percent(Math.min(PERCENT_UNFINISHED_MAX, 100 * share));
  await retryWhileOverloaded(signal, () =>
    recoverStorages({ blobs, engine, signal, onShare }, plan, [
      { storage, profile, isMade: isMade(profile.id) },
    ]),
  );
  await provisioner.ready(indexId);
}

/** @throws Unrecoverable, LogDamaged, BlobsUnavailable */
async function planOf(
  blobs: Blobs,
  { input, progress }: Job<IndexRecoveryInput, Progress>,
): Promise<RecoveryPlan> {
  const { timeline, storage, moment, last } = input;
  const content = await readStorage(blobs, timeline, { storage, last });
  const bases = content.bases.filter(({ id }) => progress === null || id === progress.base);
  const plan = await planStorage(blobs, { ...content, bases }, moment);
  const reason = plan.missing.get(storage) ?? 'no copy of it was whole at that moment';
  if (plan.storages.get(storage) === undefined)
    throw new Unrecoverable(`The moment is not there: ${reason}.`);
  return plan;
}
