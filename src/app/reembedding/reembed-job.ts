// The job that re-embeds an index: record after record in order, with checkpoints.
import { setTimeout as pause } from 'node:timers/promises';
import type { JobStore } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import type { FieldEmbedding } from '../../domain/document-schema.ts';
import {
  type CurrentSource,
  isMadeBy,
  isSameSource,
  requireServed,
} from '../../domain/embedding/current-source.ts';
import {
  changeOfSlot,
  type EmbeddingSlot,
  embeddingSlots,
  type SlotKind,
} from '../../domain/embedding/embedding-slots.ts';
import { sourceText } from '../../domain/embedding/embedding-source.ts';
import { Fault } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, type IndexProfile, storageIdOf } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { StorableRecord } from '../../domain/records/record.ts';
import { unpackRecords } from '../../engine/port/packed-records.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, JobPostponed, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { MERGE_KIND } from '../branches/merge-job.ts';
import { UNDO_KIND } from '../history/undo-job.ts';
import { IMPORT_KIND } from '../import-export/imports/import-progress.ts';
import { resumedProgress } from '../index-job-starter.ts';
import { RecordMaker } from './record-maker.ts';
import { REEMBED_KIND, type ReembedProgress } from './reembed-progress.ts';

/** A crash counts as a start, and so does a failing provider. */
const ATTEMPTS_MAX = 10;
const PERCENT_UNFINISHED_MAX = 99.9;

/** Kinds of jobs that bring vectors of before which were there. Imports have staged some, where no read finds them. */
const COPYING_KINDS = [UNDO_KIND, MERGE_KIND];
/** How long it waits for them before it gives its turn to others. */
const COPIES_MS_MAX = 10_000;
const COPIES_LOOK_MS = 200;

export interface ReembedJobParts {
  readonly catalog: { readonly jobs: Pick<JobStore, 'active'> };
  readonly indexes: Pick<IndexLifecycle, 'configure'> & { byId(id: string): Index | undefined };
  readonly engine: Pick<VectorStore, 'copies' | 'writer'>;
  readonly inference: Inference;
  /** The access with which the index is changed. */
  readonly accessTo: (index: Index) => ProjectAccess;
  /** Undefined once the index is gone. */
  readonly profile: (indexId: string) => IndexProfile | undefined;
}

export function reembedJob(parts: ReembedJobParts): JobKind {
  return {
    kind: REEMBED_KIND,
    attemptsMax: ATTEMPTS_MAX,
    run: async (run) => {
      try {
        for (const { kind } of embeddingSlots(requireIndex(parts, run)))
          await new ReembedRun(parts, run, kind).finish();
      } catch (error) {
        throw judged(error);
      }
    },
  };
}

/** Faults that a retry would meet again. */
const FOR_GOOD = new Set(['invalid-argument', 'index-not-found', 'reads-paused', 'embedding-changed']);

function judged(error: unknown): unknown {
  return error instanceof Fault && FOR_GOOD.has(error.condition)
    ? new JobFailure(error.message, error)
    : error;
}

/** @throws JobFailure when it is gone */
function requireIndex({ indexes }: ReembedJobParts, { job }: JobRun): Index {
  const index = indexes.byId(job.indexId ?? '');
  if (index === undefined || index.state === 'Terminating') throw new JobFailure('The index was deleted.');
  return index;
}

/** Makes the vectors of one slot anew. */
class ReembedRun {
  readonly #parts: ReembedJobParts;
  readonly #run: JobRun;
  readonly #kind: SlotKind;
  readonly #current: CurrentSource;
  #progress: ReembedProgress;
  /** The last write that the latest read has seen. */
  #readTo = 0;

  constructor(parts: ReembedJobParts, run: JobRun, kind: SlotKind) {
    this.#parts = parts;
    this.#run = run;
    this.#kind = kind;
    const index = this.#index();
    const { embed } = this.#slot();
    this.#current = requireServed(parts.inference, { name: index.name, embed });
    const { source } = this.#current;
    const made = [kind, sourceText(source), embed.textField, ...(embed.formerTextFields ?? [])];
    // What was made in other storage is not in what an index was made anew from.
    const target = JSON.stringify([storageIdOf(index), ...made]);
    const known = resumedProgress<ReembedProgress>(run.job);
    // Earlier releases note no storage, and 0.1.0 the source alone. A job ends where its index is made anew, so its own
    // progress is of the storage there is.
    const isOfStorage = run.job.progress !== null || storageIdOf(index) === index.id;
    const earlier = [JSON.stringify(made)];
    if (kind === 'index' && embed.formerTextFields === undefined) earlier.push(sourceText(source));
    const isSame =
      known?.target === target || (isOfStorage && known !== null && earlier.includes(known.target));
    // Another job may have begun to make vectors of another source meanwhile.
    const isBegun = embed.remaking !== null && isSameSource(embed.remaking, source);
    const fresh = { after: null, remade: 0, kept: 0 };
    this.#progress = { ...(isBegun && isSame && known !== null ? known : fresh), target };
  }

  async finish(): Promise<void> {
    const { source } = this.#current;
    const { embed } = this.#slot();
    if (isMadeBy(this.#current, embed)) return;
    // Where it starts over, no later try may trust what an earlier job has told.
    await this.#run.checkpoint(this.#progress);
    // From now on texts are refused, so that this job sees or makes every vector.
    await this.#save((before) => ({ ...before, remaking: source }));
    await this.#awaitCopies();
    while (await this.#remakeSome()) await this.#run.checkpoint(this.#progress);
    const remade = { storageId: storageIdOf(this.#index()), lsn: this.#readTo, ms: Date.now() };
    await this.#save((before) => ({ ...before, source, remaking: null, remade }));
  }

  /**
   * Undos, merges and imports that have begun write vectors of before: it comes after them. Later ones see that it has
   * begun.
   * @throws JobPostponed
   */
  async #awaitCopies(): Promise<void> {
    const { signal } = this.#run;
    if (this.#progress.awaited === undefined) {
      // Those that begin from now on would postpone it without end.
      this.#progress = { ...this.#progress, awaited: await this.#active(IMPORT_KIND) };
      await this.#run.checkpoint(this.#progress);
    }
    for (const end = performance.now() + COPIES_MS_MAX; await this.#isCopied(); ) {
      if (performance.now() > end)
        throw new JobPostponed('An undo, a merge or an import of the index is under way.');
      await pause(COPIES_LOOK_MS, undefined, { signal });
    }
  }

  async #isCopied(): Promise<boolean> {
    const { awaited = [] } = this.#progress;
    const imports = (await this.#active(IMPORT_KIND)).filter((id) => awaited.includes(id));
    const others = await Promise.all(COPYING_KINDS.map((kind) => this.#active(kind)));
    return [imports, ...others].some(({ length }) => length > 0);
  }

  async #active(kind: string): Promise<readonly string[]> {
    const { jobs } = this.#parts.catalog;
    return (await jobs.active({ kind, indexId: this.#index().id })).map(({ id }) => id);
  }

  /** Processes the next records in order; false when there are none. Short reads do not pin an old snapshot for long. */
  async #remakeSome(): Promise<boolean> {
    const { signal } = this.#run;
    signal.throwIfAborted();
    const profile = this.#parts.profile(this.#index().id);
    if (profile === undefined) throw new JobFailure('The index was deleted.');
    const after = this.#progress.after ?? undefined;
    const reading = await retryWhileOverloaded(signal, () =>
      this.#parts.engine.copies(profile).read({ after, signal }),
    );
    this.#readTo = reading.seq;
    try {
      for await (const { namespace, records } of reading.batches) {
        if (records.count === 0) continue;
        await this.#remake(profile, namespace.name, unpackRecords(records));
        const done = this.#progress.remade + this.#progress.kept;
        this.#run.percent(Math.min(PERCENT_UNFINISHED_MAX, (100 * done) / Math.max(1, reading.recordCount)));
        return true;
      }
      return false;
    } finally {
      await reading.release();
    }
  }

  async #remake(profile: IndexProfile, namespace: string, records: readonly StorableRecord[]): Promise<void> {
    const { inference, engine } = this.#parts;
    const writer = engine.writer(profile);
    const { signal } = this.#run;
    const maker = new RecordMaker({ slot: this.#slot(), model: this.#current.model, inference, signal });
    for (const slice of maker.slices(records)) {
      signal.throwIfAborted();
      const texts = maker.texts(slice);
      if (texts.length > 0) {
        const { changes } = await retryWhileOverloaded(signal, () => maker.vectorsFor(namespace, texts));
        await retryWhileOverloaded(signal, () => writer.updateMany(namespace, changes));
      }
      const { remade, kept } = this.#progress;
      this.#progress = {
        ...this.#progress,
        after: { namespace, id: slice.at(-1)?.id ?? null },
        remade: remade + texts.length,
        kept: kept + slice.length - texts.length,
      };
    }
  }

  #index(): Index {
    return requireIndex(this.#parts, this.#run);
  }

  #slot(): EmbeddingSlot {
    const slot = embeddingSlots(this.#index()).find(({ kind }) => kind === this.#kind);
    if (slot === undefined) throw new Error(`the index has no embedding of kind ${this.#kind}`);
    return slot;
  }

  async #save(change: (before: FieldEmbedding) => FieldEmbedding): Promise<void> {
    const index = this.#index();
    const changed = changeOfSlot(this.#kind, change);
    await this.#parts.indexes.configure(this.#parts.accessTo(index), index.name, changed);
  }
}
