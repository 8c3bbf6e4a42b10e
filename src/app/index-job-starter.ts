// Starts the one job of its kind that an index, or a subject in it, may have at a time: while it is active, starting again
// finds it.
import type { Catalog } from '../catalog/port.ts';
import { newId } from '../domain/ids.ts';
import type { Index } from '../domain/index-model.ts';
import { isActive, type Job, jobOfKind } from '../domain/jobs.ts';
import type { JobQueue } from '../jobs/port.ts';
import { type JobsAbout, latestJob, nextJobAt } from './latest-job.ts';

export interface IndexJobStarterParts {
  readonly catalog: Pick<Catalog, 'jobs'>;
  readonly jobs: Pick<JobQueue, 'enqueue'>;
}

/** What a job is about, and its input. */
export interface IndexWork {
  /** Jobs of different subjects run beside each other. Null for the index as a whole. */
  readonly subject: string | null;
  readonly input: unknown;
}

const WHOLE: IndexWork = { subject: null, input: {} };

/** The input of a job that may go on where another one failed. */
interface ResumingInput {
  readonly resumed?: unknown;
}

/**
 * The last checkpoint of a job that `startAgain` stored, or of the failed one before it; null without any. Its kind says
 * whether it still holds.
 */
export function resumedProgress<Progress>(job: Job): Progress | null {
  const { progress, input } = jobOfKind<ResumingInput, Progress>(job);
  return progress ?? (input.resumed as Progress | undefined) ?? null;
}

export class IndexJobStarter {
  readonly #parts: IndexJobStarterParts;
  readonly #kind: string;
  readonly #followed: readonly string[];
  /** Concurrent requests share one job. */
  readonly #starting = new Map<string, Promise<Job>>();

  /** @param followed kinds of jobs, besides, after which new ones are created */
  constructor(parts: IndexJobStarterParts, kind: string, followed: readonly string[] = []) {
    this.#parts = parts;
    this.#kind = kind;
    this.#followed = followed;
  }

  /** The active job, or a new one. */
  async start(index: Index, work: IndexWork = WHOLE): Promise<Job> {
    const key = `${index.id} ${work.subject ?? ''}`;
    const underWay = this.#starting.get(key) ?? this.#start(index, work);
    this.#starting.set(key, underWay);
    try {
      return await underWay;
    } finally {
      this.#starting.delete(key);
    }
  }

  /** As `start` for the whole index; a new job is given the progress of the latest one if that failed. */
  async startAgain(index: Index): Promise<Job> {
    const latest = await this.latest(index);
    const resumed = latest?.state === 'Failed' ? resumedProgress(latest) : null;
    return this.start(index, resumed === null ? WHOLE : { subject: null, input: { resumed } });
  }

  /** The active job, or else the newest. */
  async latest({ id, projectId }: Index, subject: IndexWork['subject'] = null): Promise<Job | undefined> {
    return latestJob(this.#parts.catalog.jobs, aboutOf(this.#kind, { id, projectId }, subject));
  }

  async #start(index: Index, { subject, input }: IndexWork): Promise<Job> {
    const latest = await this.latest(index, subject);
    if (latest !== undefined && isActive(latest)) return latest;
    const followed = [this.#kind, ...this.#followed].map((kind) => aboutOf(kind, index, subject));
    return this.#parts.jobs.enqueue({
      id: newId(),
      kind: this.#kind,
      projectId: index.projectId,
      indexId: index.id,
      subject,
      input,
      createdAt: await nextJobAt(this.#parts.catalog.jobs, ...followed),
    });
  }
}

function aboutOf(
  kind: string,
  { id, projectId }: Pick<Index, 'id' | 'projectId'>,
  subject: IndexWork['subject'],
): JobsAbout {
  return { projectId, kind, indexId: id, ...(subject !== null && { subject }) };
}
