// The service for changes of the model of an index: begins them, compares, lets the new vectors answer and the former
// ones again, and ends them.
import type { ProjectAccess } from '../../domain/access.ts';
import { servedNamespace } from '../../domain/aliases/alias-names.ts';
import type { AliasDirectory } from '../../domain/aliases/services.ts';
import { type EmbeddingSlot, embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import type { StoredParameters } from '../../domain/embedding/index-embedding.ts';
import { standbyIndex, switchedIndex, withoutModelChange } from '../../domain/embedding/model-change.ts';
import type {
  ComparedQuery,
  ComparisonRequest,
  ModelChangeStatus,
  ModelChanges,
  ModelComparison,
  RequestedModelChange,
} from '../../domain/embedding/model-change-service.ts';
import type { GivenParameters } from '../../domain/embedding/stored-parameters.ts';
import { fault, invalid } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, profileOf, storageIdOf } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import { isActive, type Job, jobOfKind } from '../../domain/jobs.ts';
import { MOVE_KIND } from '../../domain/nodes/takeover.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import type { JobQueue } from '../../jobs/port.ts';
import { IndexJobStarter, type IndexJobStarterParts } from '../index-job-starter.ts';
import { compareVectors } from './compare-vectors.ts';
import { MODEL_CHANGE_KIND, type ModelChangeProgress } from './model-change-job.ts';
import { plannedVectors } from './plan-change.ts';
import type { RecentQueries } from './recent-queries.ts';
import type { StandbyFollower } from './standby-follower.ts';
import type { WriteGate } from './write-gate.ts';

/** How long writes are held back for the other vectors to follow the latest ones, whose texts a model embeds. */
const CATCH_UP_MS_MAX = 5_000;
/** Kinds of jobs that write records of an index. */
const WRITING_KINDS: ReadonlySet<string> = new Set(['import', 'reembed']);
/** Kinds of jobs that read the vectors that answered when they were requested. */
const COPYING_KINDS: ReadonlySet<string> = new Set(['archive']);
/** Kinds of jobs that follow the changes of an index by the same notes. */
const MOVING_KINDS: ReadonlySet<string> = new Set([MOVE_KIND]);

export interface ModelChangeServiceParts extends IndexJobStarterParts {
  readonly indexes: Pick<IndexLifecycle, 'describe' | 'configure'> & {
    byId(id: string): Index | undefined;
  };
  readonly jobs: Pick<JobQueue, 'enqueue' | 'cancel' | 'decided'>;
  readonly engine: Pick<VectorStore, 'capabilities' | 'changed' | 'dropIndex' | 'reader'>;
  readonly inference: Inference;
  readonly follower: StandbyFollower;
  readonly gate: Pick<WriteGate, 'alone'>;
  readonly queries: Pick<RecentQueries, 'of'>;
  readonly aliases: Pick<AliasDirectory, 'shared'>;
  readonly accessTo: (index: Index) => ProjectAccess;
  readonly onFailure: (error: unknown) => void;
  readonly catchUpMsMax?: number;
}

export class ModelChangeService implements ModelChanges {
  readonly #parts: ModelChangeServiceParts;
  readonly #starter: IndexJobStarter;

  constructor(parts: ModelChangeServiceParts) {
    this.#parts = parts;
    this.#starter = new IndexJobStarter(parts, MODEL_CHANGE_KIND);
  }

  async start(
    access: ProjectAccess,
    name: string,
    requested: RequestedModelChange,
  ): Promise<ModelChangeStatus> {
    const { indexes, inference, engine } = this.#parts;
    const index = await indexes.describe(access, name);
    if (!engine.capabilities.tracksChanges)
      throw fault('wrong-index-kind', { reason: 'This server cannot change the model of an index' });
    if ((await this.#activeJob(index, MOVING_KINDS)) !== undefined)
      throw fault('model-change-refused', { index: name, reason: 'it is being moved to another node' });
    if (await this.#isToResume(index, requested)) {
      await this.#starter.startAgain(index);
      return this.#statusOf(index);
    }
    const at = new Date().toISOString();
    const changed = await indexes.configure(access, name, {
      vectors: (present) => {
        if (present.modelChange !== undefined) throw fault('model-change-exists', { index: name });
        const standby = plannedVectors(inference, present, requested);
        return { ...present, modelChange: { state: 'Preparing', standby, startedAt: at, changedAt: at } };
      },
    });
    await this.#starter.start(changed);
    return this.#statusOf(changed);
  }

  async describe(access: ProjectAccess, name: string): Promise<ModelChangeStatus> {
    return this.#statusOf((await this.#changing(access, name)).index);
  }

  async compare(
    access: ProjectAccess,
    name: string,
    { queries, topK }: ComparisonRequest,
  ): Promise<ModelComparison> {
    const { index, standby } = await this.#changing(access, name);
    if (index.modelChange?.state !== 'Ready' && index.modelChange?.state !== 'Switched')
      throw notReady(index, 'the new vectors are not complete');
    const compared = await this.#compared(index, queries);
    if (compared.length === 0)
      throw invalid(`Index ${name} was asked nothing by text since the start of the server. Give queries.`);
    const { engine, inference } = this.#parts;
    const signal = new AbortController().signal;
    return compareVectors({ active: index, standby, engine, inference, signal }, compared, topK);
  }

  async answerBy(access: ProjectAccess, name: string, which: 'new' | 'former'): Promise<ModelChangeStatus> {
    const { index } = await this.#changing(access, name);
    const { follower, gate } = this.#parts;
    const from = which === 'new' ? 'Ready' : 'Switched';
    const to = which === 'new' ? 'Switched' : 'Ready';
    const state = index.modelChange?.state;
    if (state === to) return this.#statusOf(index);
    if (state !== from) throw notReady(index, 'the new vectors are not complete');
    await this.#requireNone(index, WRITING_KINDS);
    // Nearly all of it, while writes go on.
    await this.#catchUp(index);
    const done = await gate.alone(index.id, async () => {
      await this.#catchUp(index, AbortSignal.timeout(this.#parts.catchUpMsMax ?? CATCH_UP_MS_MAX));
      return follower.between(index.id, () => this.#exchange(access, index, from));
    });
    if (done === null) throw notReady(index, 'writes that began before did not end in time. Try again');
    // If that fails, the next start does it.
    await this.#forgetChanges(index).catch(this.#parts.onFailure);
    return this.#statusOf(done.result);
  }

  async end(access: ProjectAccess, name: string): Promise<void> {
    const { index } = await this.#changing(access, name);
    await this.#requireNone(index, COPYING_KINDS);
    const ending = await this.#parts.indexes.configure(access, name, { vectors: asEnding });
    const job = await this.#starter.latest(index);
    if (job !== undefined && isActive(job)) {
      await this.#parts.jobs.cancel(job.id);
      await this.#parts.jobs.decided(job.id);
    }
    await this.#finish(ending);
  }

  /** Puts right what a crash left of the changes of these indexes. */
  async resume(indexes: readonly Index[]): Promise<void> {
    for (const index of indexes) await this.#resume(index).catch(this.#parts.onFailure);
  }

  async #resume(index: Index): Promise<void> {
    const standby = standbyIndex(index);
    const { state } = index.modelChange ?? {};
    if (standby === null || index.state === 'Terminating') return;
    if (state === 'Ending') await this.#finish(index);
    else if (state === 'Preparing') await this.#resumeJob(index);
    else {
      await this.#parts.engine.changed(profileOf(index)).track();
      await this.#parts.engine.changed(profileOf(standby)).forget();
    }
  }

  /** The job may not have been stored before the crash. */
  async #resumeJob(index: Index): Promise<void> {
    const job = await this.#starter.latest(index);
    const startedAt = index.modelChange?.startedAt ?? '';
    if (job === undefined || (!isActive(job) && job.createdAt < startedAt)) await this.#starter.start(index);
  }

  /** Such jobs write to the vectors that answered when they began, or read them, for a long time. */
  async #requireNone(index: Index, kinds: ReadonlySet<string>): Promise<void> {
    const job = await this.#activeJob(index, kinds);
    if (job !== undefined) throw notReady(index, `its job ${job.id} (${job.kind}) has not ended`);
  }

  async #activeJob(index: Index, kinds: ReadonlySet<string>): Promise<Job | undefined> {
    const active = await this.#parts.catalog.jobs.active({ indexId: index.id });
    return active.find(({ kind }) => kinds.has(kind));
  }

  async #catchUp(index: Index, deadline?: AbortSignal): Promise<void> {
    const { follower } = this.#parts;
    if (await follower.catchUp(index.id, deadline)) return;
    if (deadline?.aborted === true)
      throw notReady(index, 'they did not follow the latest writes in time. Try again');
    throw notReady(
      index,
      `the other vectors cannot follow: ${follower.problemOf(index.id)?.replace(/\.$/, '')}`,
    );
  }

  /** No write is under way, and both sets of vectors hold the same records. */
  async #exchange(access: ProjectAccess, { id, name }: Index, from: 'Ready' | 'Switched'): Promise<Index> {
    const { indexes, engine, follower } = this.#parts;
    const present = indexes.byId(id);
    const standby = present === undefined ? null : standbyIndex(present);
    // Another request did the same meanwhile.
    if (present?.modelChange?.state === (from === 'Ready' ? 'Switched' : 'Ready')) return present;
    if (present === undefined || standby === null || present.modelChange?.state !== from)
      throw fault('model-change-not-found', { index: name });
    if ((await follower.pendingOf(present)) > 0)
      throw notReady(present, 'a job writes to the index. Try again');
    // From its first write on as the vectors that answer, so that the others can follow.
    await engine.changed(profileOf(standby)).track();
    const at = new Date().toISOString();
    return indexes.configure(access, name, {
      vectors: (index) => {
        if (index.modelChange?.state !== from) throw fault('model-change-not-found', { index: name });
        return switchedIndex(index, at);
      },
    });
  }

  /** The given queries, or the latest whose namespaces are still there. @throws namespace-not-found for a given one */
  async #compared(
    index: Index,
    given: readonly ComparedQuery[] | undefined,
  ): Promise<readonly ComparedQuery[]> {
    const { engine, aliases, queries } = this.#parts;
    const shared = aliases.shared(index.id);
    const asked = (given ?? queries.of(index.id)).map((query) => ({
      ...query,
      namespace: servedNamespace(shared, query.namespace),
    }));
    const reader = engine.reader(profileOf(index));
    const gone = new Set<string>();
    for (const name of new Set(asked.map(({ namespace }) => namespace)))
      if ((await reader.describeNamespace(name)) === null) gone.add(name);
    if (given !== undefined && gone.size > 0) throw fault('namespace-not-found');
    return asked.filter(({ namespace }) => !gone.has(namespace));
  }

  /** Stops noting what changed among vectors that answered before, unless they answer again or are gone. */
  async #forgetChanges(former: Index): Promise<void> {
    const { engine, follower, indexes } = this.#parts;
    await follower.between(former.id, async () => {
      const standby = indexes.byId(former.id)?.modelChange?.standby;
      if (standby?.storageId === storageIdOf(former)) await engine.changed(profileOf(former)).forget();
    });
  }

  async #finish(index: Index): Promise<void> {
    const { engine, follower, indexes, accessTo } = this.#parts;
    const standby = index.modelChange?.standby;
    if (standby === undefined) return;
    await follower.between(index.id, async () => {
      // Ended by another request meanwhile; a new change may have begun.
      if (indexes.byId(index.id)?.modelChange?.standby.storageId !== standby.storageId) return;
      await engine.changed(profileOf(index)).forget();
      await engine.dropIndex(standby.storageId);
      await indexes.configure(accessTo(index), index.name, { vectors: withoutModelChange });
    });
    follower.forget(index.id);
  }

  async #isToResume(index: Index, requested: RequestedModelChange): Promise<boolean> {
    const standby = standbyIndex(index);
    if (standby === null || index.modelChange?.state !== 'Preparing') return false;
    if (!embeddingSlots(standby).some((slot) => isRequested(slot, requested))) return false;
    const job = await this.#starter.latest(index);
    return job === undefined || !isActive(job);
  }

  async #changing(
    access: ProjectAccess,
    name: string,
  ): Promise<{ readonly index: Index; readonly standby: Index }> {
    const index = await this.#parts.indexes.describe(access, name);
    const standby = standbyIndex(index);
    if (standby === null) throw fault('model-change-not-found', { index: name });
    return { index, standby };
  }

  async #statusOf(index: Index): Promise<ModelChangeStatus> {
    const standby = standbyIndex(index);
    const { modelChange } = index;
    if (standby === null || modelChange === undefined)
      throw fault('model-change-not-found', { index: index.name });
    const job = await this.#starter.latest(index);
    const { state, startedAt, changedAt } = modelChange;
    const progress = job === undefined ? null : jobOfKind<unknown, ModelChangeProgress>(job).progress;
    const isFollowed = state === 'Ready' || state === 'Switched';
    return {
      state,
      answering: summaryOf(index),
      standby: summaryOf(standby),
      job: job === undefined ? null : { state: job.state, percent: job.percent, error: job.error },
      copied: progress?.copied ?? 0,
      pending: isFollowed ? await this.#parts.follower.pendingOf(index) : 0,
      problem: this.#parts.follower.problemOf(index.id),
      startedAt,
      changedAt,
    };
  }
}

/** What a request leaves open may be anything. */
function isRequested({ embed, dimension }: EmbeddingSlot, requested: RequestedModelChange): boolean {
  const isPart = (some: GivenParameters = {}, all: StoredParameters) =>
    Object.entries(some).every(([name, value]) => all[name] === value);
  return (
    embed.model === requested.model &&
    (requested.dimension === undefined || requested.dimension === dimension) &&
    isPart(requested.writeParameters, embed.writeParameters) &&
    isPart(requested.readParameters, embed.readParameters)
  );
}

function summaryOf(index: Index): ModelChangeStatus['answering'] {
  return { models: embeddingSlots(index).map(({ embed }) => embed.model), dimension: index.dimension };
}

function asEnding(index: Index): Index {
  const { modelChange, name } = index;
  if (modelChange === undefined) throw fault('model-change-not-found', { index: name });
  return {
    ...index,
    modelChange: { ...modelChange, state: 'Ending', changedAt: new Date().toISOString() },
  };
}

function notReady({ name }: Index, reason: string) {
  return fault('model-change-not-ready', { index: name, reason });
}
