// The service for re-embedding assistants: stores a job at once, which does the work.
import type { Catalog } from '../../../catalog/port.ts';
import type { ProjectAccess } from '../../../domain/access.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import type { AssistantReembedding, AssistantReembeddings } from '../../../domain/assistants/reembedding.ts';
import type { Assistants } from '../../../domain/assistants/services.ts';
import { fault } from '../../../domain/faults.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { isActive, type Job, jobOfKind } from '../../../domain/jobs.ts';
import type { JobQueue } from '../../../jobs/port.ts';
import { latestJob } from '../../latest-job.ts';
import { type AssistantInput, nextReembedJob, reembeddingsOf } from '../assistant-jobs.ts';
import { type ModelNames, modelsNow } from '../assistant-models.ts';
import type { ReembedProgress } from './reembed-job.ts';

export interface AssistantReembedServiceParts {
  readonly catalog: Pick<Catalog, 'jobs'>;
  readonly jobs: Pick<JobQueue, 'enqueue'>;
  readonly assistants: Pick<Assistants, 'ready'>;
  readonly inference: Inference;
  readonly models: ModelNames;
}

export class AssistantReembedService implements AssistantReembeddings {
  readonly #parts: AssistantReembedServiceParts;
  /** Concurrent requests share one job. */
  readonly #starting = new Map<string, Promise<Job>>();

  constructor(parts: AssistantReembedServiceParts) {
    this.#parts = parts;
  }

  async start(access: ProjectAccess, name: string): Promise<AssistantReembedding> {
    const assistant = await this.#parts.assistants.ready(access, name);
    modelsNow(this.#parts.inference, this.#parts.models);
    const underWay = this.#starting.get(assistant.id) ?? this.#start(assistant);
    this.#starting.set(assistant.id, underWay);
    try {
      return reembeddingOf(await underWay);
    } finally {
      this.#starting.delete(assistant.id);
    }
  }

  async latest(access: ProjectAccess, name: string): Promise<AssistantReembedding> {
    const latest = await this.#latest(await this.#parts.assistants.ready(access, name));
    if (latest === undefined) throw fault('assistant-reembedding-not-found', { name });
    return reembeddingOf(latest);
  }

  async #start(assistant: Assistant): Promise<Job> {
    const latest = await this.#latest(assistant);
    if (latest !== undefined && isActive(latest)) return latest;
    return this.#parts.jobs.enqueue(await nextReembedJob(this.#parts.catalog.jobs, assistant));
  }

  #latest(assistant: Assistant): Promise<Job | undefined> {
    return latestJob(this.#parts.catalog.jobs, reembeddingsOf(assistant));
  }
}

function reembeddingOf(job: Job): AssistantReembedding {
  const { state, percent, error, createdAt, finishedAt } = job;
  const { remade = 0, failed = 0 } = jobOfKind<AssistantInput, ReembedProgress>(job).progress ?? {};
  return { state, percent, error, createdAt, finishedAt, remade, failed };
}
