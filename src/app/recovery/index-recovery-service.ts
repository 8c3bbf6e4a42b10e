// Recovers single indexes: tells which moments there are, and stores the jobs that fill new indexes.
import type { Catalog, Job, Page, PageQuery } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import { indexLike } from '../../domain/backups/archive-rules.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, storageIdOf } from '../../domain/index-model.ts';
import { jobOfKind } from '../../domain/jobs.ts';
import type {
  IndexRecoveries,
  IndexRecovery,
  IndexRecoveryInput,
  RecoverableIndex,
  RecoveryRequest,
} from '../../domain/recovery/services.ts';
import type { JobQueue } from '../../jobs/port.ts';
import type { IndexProvisioner } from '../indexes/index-lifecycle.ts';
import type { GrowthQuotas } from '../quotas/growth-quotas.ts';
import { INDEX_RECOVERY_JOB } from './index-recovery-job.ts';
import type { PastIndex } from './index-versions.ts';
import { timeOf } from './plan-recovery.ts';
import { type Span, versionAt } from './recoverable-spans.ts';

/** What a shipper knows of the log that it writes. */
export interface RecoveryLog {
  /** The last object that is stored; null before the first look. */
  position(): { readonly timeline: string; readonly last: number } | null;
  /** Indexes of the present and the past, by their ids. */
  indexes(): Readonly<Record<string, PastIndex>>;
  spans(index: PastIndex): readonly Span[];
  /** Keeps what a moment needs until the returned function is called. */
  hold(moment: number): () => void;
}

export interface IndexRecoveryServiceParts {
  readonly catalog: Pick<Catalog, 'jobs'>;
  readonly indexes: Pick<IndexLifecycle, 'list'> & Pick<IndexProvisioner, 'provision' | 'abandon'>;
  readonly jobs: Pick<JobQueue, 'enqueue'>;
  readonly quotas: Pick<GrowthQuotas, 'admitGrowth'>;
  /** Null where nothing is shipped. */
  readonly log: RecoveryLog | null;
}

interface Found extends RecoverableIndex {
  readonly past: PastIndex;
}

export class IndexRecoveryService implements IndexRecoveries {
  readonly #parts: IndexRecoveryServiceParts;

  constructor(parts: IndexRecoveryServiceParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#parts.log !== null;
  }

  recoverable(access: ProjectAccess): readonly RecoverableIndex[] {
    return this.#known(access)
      .filter(({ spans }) => spans.length > 0)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async describe(access: ProjectAccess, nameOrId: string): Promise<RecoverableIndex> {
    return this.#find(access, nameOrId);
  }

  async start(access: ProjectAccess, nameOrId: string, request: RecoveryRequest): Promise<IndexRecovery> {
    const { log } = this.#parts;
    const found = await this.#find(access, nameOrId);
    if (log === null) throw invalid('this server keeps no recovery log: PINYON_RECOVERY switches it on');
    // Before it is looked whether the moment is there: it may become too old at any time.
    const release = log.hold(request.moment);
    try {
      return await this.#start(access, { found, log, request });
    } finally {
      release();
    }
  }

  async #start(
    access: ProjectAccess,
    {
      found,
      log,
      request,
    }: { readonly found: Found; readonly log: RecoveryLog; readonly request: RecoveryRequest },
  ): Promise<IndexRecovery> {
    const { quotas, indexes, jobs } = this.#parts;
    const { moment, ...requested } = request;
    const past = found.past;
    const version = versionAt(past, moment)?.index;
    const position = log.position();
    if (version === undefined || position === null || !log.spans(past).some(isAt(moment)))
      throw invalid(
        `index ${found.name} cannot be recovered to ${timeOf(moment)}: ${offer(log.spans(past))}`,
      );
    await quotas.admitGrowth(access);
    const index = await indexes.provision(access, indexLike(version, requested, null));
    const input: IndexRecoveryInput = {
      ...{ sourceId: found.id, sourceName: version.name, moment },
      ...{ ...position, storage: storageIdOf(version) },
      ...{ indexId: index.id, indexName: index.name },
    };
    try {
      return recoveryOf(await jobs.enqueue(jobFor(index, input)));
    } catch (error) {
      await indexes.abandon(index.id);
      throw error;
    }
  }

  async job({ projectId }: ProjectAccess, id: string): Promise<IndexRecovery> {
    const job = await this.#parts.catalog.jobs.find({ projectId, kind: INDEX_RECOVERY_JOB, id });
    if (job === null) throw fault('recovery-not-found', { id });
    return recoveryOf(job);
  }

  async jobs({ projectId }: ProjectAccess, page: PageQuery): Promise<Page<IndexRecovery>> {
    const { items, next } = await this.#parts.catalog.jobs.list(
      { projectId, kind: INDEX_RECOVERY_JOB },
      page,
    );
    return { items: items.map(recoveryOf), next };
  }

  /** A name is that of an index that is there. */
  async #find(access: ProjectAccess, nameOrId: string): Promise<Found> {
    const present = await this.#parts.indexes.list(access);
    const named = present.find(({ name }) => name === nameOrId);
    const id = named?.id ?? nameOrId;
    const known = this.#known(access).find((each) => each.id === id);
    if (known !== undefined && (named !== undefined || known.spans.length > 0)) return known;
    if (named === undefined) throw fault('index-not-found', { name: nameOrId });
    // It was created after the last look.
    return { id, name: named.name, lastAt: null, spans: [], past: { versions: [], to: null } };
  }

  /** The only method that decides which indexes of the past a caller may see. */
  #known({ projectId }: ProjectAccess): readonly Found[] {
    const { log } = this.#parts;
    return Object.entries(log?.indexes() ?? {}).flatMap(([id, past]): Found[] => {
      const last = past.versions.at(-1)?.index;
      if (log === null || last?.projectId !== projectId) return [];
      const spans = log.spans(past).map(({ from, to }) => ({ from: timeOf(from), to: timeOf(to) }));
      return [{ id, name: last.name, lastAt: past.to === null ? null : timeOf(past.to), spans, past }];
    });
  }
}

function isAt(moment: number): (span: Span) => boolean {
  return ({ from, to }) => moment >= from && moment <= to;
}

function offer(spans: readonly Span[]): string {
  if (spans.length === 0) return 'nothing of it was shipped so far';
  const texts = spans.map(({ from, to }) => `from ${timeOf(from)} to ${timeOf(to)}`);
  return `the moments that were shipped are ${texts.join(', and ')}`;
}

function jobFor({ id, projectId }: Index, input: IndexRecoveryInput) {
  const createdAt = new Date().toISOString();
  return {
    id: newId(),
    kind: INDEX_RECOVERY_JOB,
    projectId,
    indexId: id,
    subject: input.sourceId,
    input,
    createdAt,
  };
}

function recoveryOf(job: Job): IndexRecovery {
  return jobOfKind<IndexRecoveryInput>(job);
}
