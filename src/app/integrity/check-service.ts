// The service for checks of served indexes: stores a job at once, which does the work.
import type { ProjectAccess } from '../../domain/access.ts';
import { fault } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import type { CheckFindings, IndexCheckRun, IndexChecks } from '../../domain/integrity/services.ts';
import { type Job, jobOfKind } from '../../domain/jobs.ts';
import { IndexJobStarter, type IndexJobStarterParts } from '../index-job-starter.ts';
import { CHECK_KIND } from './check-job.ts';

export interface CheckServiceParts extends IndexJobStarterParts {
  readonly indexes: Pick<IndexLifecycle, 'describe'>;
}

export class CheckService implements IndexChecks {
  readonly #parts: CheckServiceParts;
  readonly #starter: IndexJobStarter;

  constructor(parts: CheckServiceParts) {
    this.#parts = parts;
    this.#starter = new IndexJobStarter(parts, CHECK_KIND);
  }

  async start(access: ProjectAccess, name: string): Promise<IndexCheckRun> {
    const index = await this.#parts.indexes.describe(access, name);
    return runOf(await this.#starter.start(index));
  }

  async latest(access: ProjectAccess, name: string): Promise<IndexCheckRun> {
    const latest = await this.#starter.latest(await this.#parts.indexes.describe(access, name));
    if (latest === undefined) throw fault('index-check-not-found', { index: name });
    return runOf(latest);
  }
}

/** Trusts the row: only the job writes it. */
function runOf(job: Job): IndexCheckRun {
  const { state, percent, error, createdAt, finishedAt } = job;
  const { progress } = jobOfKind<unknown, CheckFindings>(job);
  return { state, percent, error, createdAt, finishedAt, findings: state === 'Completed' ? progress : null };
}
