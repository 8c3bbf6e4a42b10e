// The service for checks of served indexes: stores a job at once, which does the work.
import type { Catalog } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import type { CheckFindings, IndexCheckRun, IndexChecks } from '../../domain/integrity/services.ts';
import { isActive, type Job, jobOfKind } from '../../domain/jobs.ts';
import type { JobQueue } from '../../jobs/port.ts';
import { CHECK_KIND } from './check-job.ts';

export interface CheckServiceParts {
  readonly catalog: Pick<Catalog, 'jobs'>;
  readonly jobs: Pick<JobQueue, 'enqueue'>;
  readonly indexes: Pick<IndexLifecycle, 'describe'>;
}

export class CheckService implements IndexChecks {
  readonly #parts: CheckServiceParts;
  /** Concurrent requests share one job. */
  readonly #starting = new Map<string, Promise<Job>>();

  constructor(parts: CheckServiceParts) {
    this.#parts = parts;
  }

  async start(access: ProjectAccess, name: string): Promise<IndexCheckRun> {
    const index = await this.#parts.indexes.describe(access, name);
    const underWay = this.#starting.get(index.id) ?? this.#start(index);
    this.#starting.set(index.id, underWay);
    try {
      return runOf(await underWay);
    } finally {
      this.#starting.delete(index.id);
    }
  }

  async latest(access: ProjectAccess, name: string): Promise<IndexCheckRun> {
    const latest = await this.#latest(await this.#parts.indexes.describe(access, name));
    if (latest === undefined) throw fault('index-check-not-found', { index: name });
    return runOf(latest);
  }

  async #start(index: Index): Promise<Job> {
    const latest = await this.#latest(index);
    if (latest !== undefined && isActive(latest)) return latest;
    return this.#parts.jobs.enqueue({
      id: newId(),
      kind: CHECK_KIND,
      projectId: index.projectId,
      indexId: index.id,
      subject: null,
      input: {},
      createdAt: new Date().toISOString(),
    });
  }

  async #latest({ id, projectId }: Index): Promise<Job | undefined> {
    const requested = { projectId, kind: CHECK_KIND, indexId: id };
    const { items } = await this.#parts.catalog.jobs.list(requested, { limit: 1, after: null });
    return items[0];
  }
}

/** Trusts the row: only the job writes it. */
function runOf(job: Job): IndexCheckRun {
  const { state, percent, error, createdAt, finishedAt } = job;
  const { progress } = jobOfKind<unknown, CheckFindings>(job);
  return { state, percent, error, createdAt, finishedAt, findings: state === 'Completed' ? progress : null };
}
