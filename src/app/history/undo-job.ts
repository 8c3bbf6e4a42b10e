// The job that takes namespaces of an index back to a moment: part after part, until all are as they were.
import { Fault } from '../../domain/faults.ts';
import type { Undo } from '../../domain/history/services.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { type Job, jobOfKind } from '../../domain/jobs.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';

export const UNDO_KIND = 'undo';

/** A crash counts as a start. */
const ATTEMPTS_MAX = 10;
const PERCENT_UNFINISHED_MAX = 99.9;

export interface UndoInput {
  readonly namespace: string | null;
  readonly toLsn: number;
  /** The last write when it was requested: later ones of others stay. */
  readonly begunLsn: number;
  /** The storage that these LSNs are of: an index that takes another model gets another. */
  readonly storageId: string;
}

export interface UndoProgress {
  /** Namespaces that are done. */
  readonly done: number;
  readonly restored: number;
  readonly removed: number;
}

const NOTHING_DONE: UndoProgress = { done: 0, restored: 0, removed: 0 };

export interface UndoJobParts {
  readonly engine: Pick<VectorStore, 'history'>;
  /** Undefined once the index is gone. */
  readonly profile: (indexId: string) => IndexProfile | undefined;
}

/** Faults that a retry would meet again. */
const FOR_GOOD = new Set([
  'invalid-argument',
  'index-not-found',
  'index-damaged',
  'storage-missing',
  'record-damaged',
]);

export function undoJob(parts: UndoJobParts): JobKind {
  return {
    kind: UNDO_KIND,
    attemptsMax: ATTEMPTS_MAX,
    run: async (run) => {
      try {
        await undo(parts, run);
      } catch (error) {
        run.signal.throwIfAborted();
        const isFinal = error instanceof Fault && FOR_GOOD.has(error.condition);
        throw isFinal ? new JobFailure(error.message, error) : error;
      }
    },
  };
}

export function undoOf(job: Job): Undo {
  const { input, progress, state, percent, error, createdAt, finishedAt } = jobOfKind<
    UndoInput,
    UndoProgress
  >(job);
  const { restored, removed } = progress ?? NOTHING_DONE;
  return {
    ...{ state, percent, error, createdAt, finishedAt },
    ...{ namespace: input.namespace, toLsn: input.toLsn, fromLsn: input.begunLsn },
    ...{ restored, removed },
  };
}

export function undoInputOf(job: Job): UndoInput {
  return jobOfKind<UndoInput>(job).input;
}

async function undo({ engine, profile }: UndoJobParts, run: JobRun): Promise<void> {
  const { job, signal } = run;
  const { input, progress } = jobOfKind<UndoInput, UndoProgress>(job);
  const index = profile(job.indexId ?? '');
  if (index === undefined) throw new JobFailure('The index was deleted.');
  if (index.id !== input.storageId)
    throw new JobFailure('The index has taken another model since, and its history began anew.');
  const history = engine.history(index);
  const { namespace: own, toLsn: to, begunLsn: begun } = input;
  // In the order of their first changes, and so the same ones after a restart.
  const names = own === null ? await history.changedNamespaces(to, begun) : [own];
  let done = progress ?? NOTHING_DONE;
  for (const namespace of names.slice(done.done)) {
    for (let isDone = false; !isDone; ) {
      signal.throwIfAborted();
      const request = { key: job.id, namespace, to, begun };
      const part = await retryWhileOverloaded(signal, () => history.rollBack(request));
      isDone = part.isDone;
      run.percent(Math.min(PERCENT_UNFINISHED_MAX, (100 * (done.done + part.share)) / names.length));
      if (!isDone) continue;
      const [restored, removed] = [done.restored + part.restored, done.removed + part.removed];
      done = { done: done.done + 1, restored, removed };
      await run.checkpoint(done);
    }
  }
}
