// The job that makes the vectors of another model: record after record in order, with checkpoints, while the present
// vectors answer.
import type { Catalog } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import { requireServed } from '../../domain/embedding/current-source.ts';
import { embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import { differingSlots, standbyIndex, withStandbySources } from '../../domain/embedding/model-change.ts';
import { Fault, invalid } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { MOVE_KIND } from '../../domain/nodes/takeover.ts';
import type { RecordPosition } from '../../engine/port/index-copies.ts';
import { unpackRecords } from '../../engine/port/packed-records.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { resumedProgress } from '../index-job-starter.ts';
import { StandbyCopier } from './standby-copier.ts';
import { Unembeddable } from './standby-maker.ts';

export const MODEL_CHANGE_KIND = 'model-change';
/** A crash counts as a start, and so does a failing provider. */
const ATTEMPTS_MAX = 10;
const PERCENT_UNFINISHED_MAX = 99.9;
/** Faults that a retry would meet again. */
const FOR_GOOD = new Set(['invalid-argument', 'index-not-found', 'reads-paused', 'embedding-changed']);

export interface ModelChangeProgress {
  /** The storage that is filled; with another one, the job starts over. */
  readonly storageId: string;
  /** The sources of its vectors and the fields of the texts; with others, the job starts over. */
  readonly target: string;
  /** The last copied record. */
  readonly after: RecordPosition | null;
  readonly copied: number;
}

export interface ModelChangeJobParts {
  readonly catalog: { readonly jobs: Pick<Catalog['jobs'], 'active'> };
  readonly indexes: Pick<IndexLifecycle, 'configure'> & { byId(id: string): Index | undefined };
  readonly engine: Pick<VectorStore, 'createIndex' | 'changed' | 'copies' | 'reader' | 'writer'>;
  readonly inference: Inference;
  /** The access with which the index is changed. */
  readonly accessTo: (index: Index) => ProjectAccess;
}

export function modelChangeJob(parts: ModelChangeJobParts): JobKind<unknown, ModelChangeProgress> {
  return {
    kind: MODEL_CHANGE_KIND,
    attemptsMax: ATTEMPTS_MAX,
    run: async (run) => {
      try {
        await copyAll(parts, run);
      } catch (error) {
        const isFinal =
          error instanceof Unembeddable || (error instanceof Fault && FOR_GOOD.has(error.condition));
        throw isFinal ? new JobFailure(error.message, error) : error;
      }
    },
  };
}

async function copyAll(
  parts: ModelChangeJobParts,
  { job, signal, percent, checkpoint }: JobRun<unknown, ModelChangeProgress>,
): Promise<void> {
  const { catalog, indexes, engine, inference, accessTo } = parts;
  const present = indexes.byId(job.indexId ?? '');
  if (present === undefined || present.state === 'Terminating')
    throw new JobFailure('The index was deleted.');
  // Ended meanwhile, or completed by a run that died before saying so.
  if (present.modelChange?.state !== 'Preparing') return;
  // Both follow by the same notes. A move that begins later sees the change and ends itself.
  if ((await catalog.jobs.active({ indexId: present.id })).some(({ kind }) => kind === MOVE_KIND))
    throw new Error(`Index ${present.name} is being moved to another node.`);
  const active = await indexes.configure(accessTo(present), present.name, {
    vectors: (index) => asServed(inference, index),
  });
  const standby = standbyIndex(active);
  if (standby === null || active.modelChange?.state !== 'Preparing') return;
  const { storageId } = active.modelChange.standby;
  const target = targetOf(parts.inference, standby);
  const known = resumedProgress<ModelChangeProgress>(job);
  let progress: ModelChangeProgress =
    known?.storageId === storageId && known.target === target
      ? known
      : { storageId, target, after: null, copied: 0 };
  // Where it starts over, no later try may trust what an earlier job has told.
  await checkpoint(progress);
  await engine.createIndex(profileOf(standby));
  // Before the first record is read, so that each is read after its last change or noted.
  await engine.changed(profileOf(active)).track();
  const copier = new StandbyCopier({ active, standby, engine, inference, signal });
  for (;;) {
    signal.throwIfAborted();
    const after = progress.after ?? undefined;
    // Short reads do not pin an old snapshot for long.
    const reading = await retryWhileOverloaded(signal, () =>
      engine.copies(profileOf(active)).read({ after, signal }),
    );
    let isDone = true;
    try {
      for await (const { namespace, records } of reading.batches) {
        const unpacked = unpackRecords(records);
        await copier.copy(namespace, unpacked);
        const last = unpacked.at(-1);
        if (last === undefined) continue;
        progress = {
          ...{ storageId, target },
          after: { namespace: namespace.name, id: last.id },
          copied: progress.copied + unpacked.length,
        };
        percent(Math.min(PERCENT_UNFINISHED_MAX, (100 * progress.copied) / Math.max(1, reading.recordCount)));
        isDone = false;
        break;
      }
    } finally {
      await reading.release();
    }
    await checkpoint(progress);
    if (isDone) break;
  }
  await indexes.configure(accessTo(active), active.name, {
    vectors: (index) => (index.modelChange?.standby.storageId === storageId ? asReady(index) : index),
  });
}

function targetOf(inference: Inference, standby: Index): string {
  return JSON.stringify(
    embeddingSlots(standby).map(({ embed }) => [
      ...[embed.model, inference.embeddingSource(embed.model)],
      ...[embed.textField, ...(embed.formerTextFields ?? [])],
    ]),
  );
}

/**
 * The index with other vectors by who serves their models: another provider or revision may since the change began.
 * @throws embedding-changed when nobody does; invalid-argument when they would be the present ones
 */
function asServed(inference: Inference, index: Index): Index {
  const standby = standbyIndex(index);
  if (standby === null || index.modelChange?.state !== 'Preparing') return index;
  const { name } = index;
  const served = withStandbySources(index, ({ embed }) => requireServed(inference, { name, embed }).source);
  const isOther = (vectors: Index | null) => vectors !== null && differingSlots(vectors, index).size > 0;
  if (isOther(standby) && !isOther(standbyIndex(served)))
    throw invalid(`Index ${name} has vectors by who serves the new model now. End the change.`);
  return served;
}

function asReady(index: Index): Index {
  const { modelChange } = index;
  if (modelChange?.state !== 'Preparing') return index;
  return { ...index, modelChange: { ...modelChange, state: 'Ready', changedAt: new Date().toISOString() } };
}
