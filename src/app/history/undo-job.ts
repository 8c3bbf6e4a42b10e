// The job that takes namespaces of an index back to a moment: part after part, until all are as they were.
import { readAliases } from '../../domain/aliases/alias-names.ts';
import type { AliasDirectory } from '../../domain/aliases/services.ts';
import { refuseWhileRemade } from '../../domain/embedding/remade-vectors.ts';
import { Fault } from '../../domain/faults.ts';
import type { LeftNamespace, Undo } from '../../domain/history/services.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { type Job, jobOfKind } from '../../domain/jobs.ts';
import type {
  IndexHistory,
  LeftReason,
  RollBackProgress,
  RollBackRequest,
} from '../../engine/port/index-history.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { UndoneVectors, type UndoneVectorsParts } from './undone-vectors.ts';

export const UNDO_KIND = 'undo';

/** A crash counts as a start. */
const ATTEMPTS_MAX = 10;
const PERCENT_UNFINISHED_MAX = 99.9;
/** Namespaces that an undo names which it has left as they are. */
const LEFT_NAMESPACES_MAX = 100;

const WHY_LEFT: Readonly<Record<LeftReason | 'alias', string>> = {
  'shared-branch': 'it is a branch made since, which would not come back: merge or drop it',
  'lost-branch': 'it was a branch then, which was deleted since and does not come back',
  needed: 'it was not there then, and an alias leads to it: repoint or delete that first',
  alias: 'an alias has its name: delete that first',
};

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
  /** Absent in jobs of earlier releases. */
  readonly left?: readonly LeftNamespace[];
}

const NOTHING_DONE: UndoProgress = { done: 0, restored: 0, removed: 0 };

export interface UndoJobParts extends UndoneVectorsParts {
  readonly engine: Pick<VectorStore, 'history'>;
  readonly aliases: AliasDirectory;
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
  'reembedding-under-way',
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
  const { restored, removed, left = [] } = progress ?? NOTHING_DONE;
  return {
    ...{ state, percent, error, createdAt, finishedAt },
    ...{ namespace: input.namespace, toLsn: input.toLsn, fromLsn: input.begunLsn },
    ...{ restored, removed, left },
  };
}

export function undoInputOf(job: Job): UndoInput {
  return jobOfKind<UndoInput>(job).input;
}

async function undo(parts: UndoJobParts, run: JobRun): Promise<void> {
  const { job } = run;
  const input = undoInputOf(job);
  const index = parts.profile(job.indexId ?? '');
  if (index === undefined) throw new JobFailure('The index was deleted.');
  if (index.id !== input.storageId)
    throw new JobFailure('The index has taken another model since, and its history began anew.');
  await begin(parts, run);
  const history = parts.engine.history(index);
  const vectors = new UndoneVectors(parts, job.indexId ?? '', input.toLsn);
  try {
    await undoEach(parts, run, { history, vectors });
  } finally {
    if (!run.signal.aborted) await vectors.settle();
  }
}

async function undoEach(
  parts: UndoJobParts,
  run: JobRun,
  { history, vectors }: Pick<NamespaceUndo, 'history' | 'vectors'>,
): Promise<void> {
  const { input, progress } = jobOfKind<UndoInput, UndoProgress>(run.job);
  const { namespace: own, toLsn: to, begunLsn: begun } = input;
  // In the order of their first changes, and so the same ones after a restart.
  const names = own === null ? await history.changedNamespaces(to, begun) : [own];
  let done = progress ?? NOTHING_DONE;
  for (const namespace of names.slice(done.done)) {
    const onShare = (share: number) =>
      run.percent(Math.min(PERCENT_UNFINISHED_MAX, (100 * (done.done + share)) / names.length));
    const { restored, removed, left } = await undoOne(parts, run, {
      ...{ history, vectors, namespace, onShare },
    });
    if (left !== null && own !== null) throw new JobFailure(`Nothing was undone: ${WHY_LEFT[left]}.`);
    done = {
      ...{ done: done.done + 1, restored: done.restored + restored, removed: done.removed + removed },
      left:
        left === null ? (done.left ?? []) : withLeft(done.left ?? [], { namespace, reason: WHY_LEFT[left] }),
    };
    await run.checkpoint(done);
  }
}

/** Refuses to begin while vectors are made anew. */
async function begin({ indexes }: UndoJobParts, { job, checkpoint }: JobRun): Promise<void> {
  const index = indexes.byId(job.indexId ?? '');
  if (index === undefined) throw new JobFailure('The index was deleted.');
  if (job.progress !== null) return;
  refuseWhileRemade(index);
  await checkpoint(NOTHING_DONE);
}

type Undone = Pick<RollBackProgress, 'restored' | 'removed'> & { readonly left: LeftReason | 'alias' | null };

interface NamespaceUndo {
  readonly history: IndexHistory;
  readonly vectors: UndoneVectors;
  readonly namespace: string;
  readonly onShare: (share: number) => void;
}

async function undoOne(
  { aliases }: UndoJobParts,
  { job, signal }: JobRun,
  { history, vectors, namespace, onShare }: NamespaceUndo,
): Promise<Undone> {
  const { toLsn: to, begunLsn: begun } = undoInputOf(job);
  const indexId = job.indexId ?? '';
  /** By the aliases of now, nothing between: one that is being made waits for the calls that were sent before. */
  const ask = <Answer>(call: (request: RollBackRequest) => Promise<Answer>): Promise<Answer | 'alias'> =>
    retryWhileOverloaded(signal, async () => {
      if (aliases.isAlias(indexId, namespace)) return 'alias';
      const shared = aliases.shared(indexId);
      const isNeeded = shared !== undefined && readAliases(shared).isTarget(namespace);
      return call({ key: job.id, namespace, to, begun, isNeeded });
    });
  const leaving = (left: LeftReason | 'alias'): Undone => ({ restored: 0, removed: 0, left });
  for (;;) {
    signal.throwIfAborted();
    if (vectors.isAwaited) {
      const left = await ask((request) => history.whyLeft(request));
      if (left !== null) return leaving(left);
      await vectors.refuse();
    }
    const part = await ask((request) => history.rollBack(request));
    if (part === 'alias') return leaving(part);
    onShare(part.share);
    if (part.isDone) return part;
  }
}

function withLeft(known: readonly LeftNamespace[], left: LeftNamespace): readonly LeftNamespace[] {
  return known.length < LEFT_NAMESPACES_MAX ? [...known, left] : known;
}
