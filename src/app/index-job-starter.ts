// Starts the one job of its kind that an index, or a subject in it, may have at a time: while it is active, starting again
// finds it.
import type { Catalog } from '../catalog/port.ts';
import { newId } from '../domain/ids.ts';
import type { Index } from '../domain/index-model.ts';
import { isActive, type Job, jobOfKind } from '../domain/jobs.ts';
import type { JobQueue } from '../jobs/port.ts';

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
  /** Concurrent requests share one job. */
  readonly #starting = new Map<string, Promise<Job>>();

  constructor(parts: IndexJobStarterParts, kind: string) {
    this.#parts = parts;
    this.#kind = kind;
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
    const { jobs } = this.#parts.catalog;
    const about = { kind: this.#kind, indexId: id, ...(subject !== null && { subject }) };
    const active = await jobs.active(about);
    const { items } = await jobs.list({ projectId, ...about }, { limit: 1, after: null });
    return active.at(-1) ?? items[0];
  }

  async #start(index: Index, { subject, input }: IndexWork): Promise<Job> {
    const latest = await this.latest(index, subject);
    if (latest !== undefined && isActive(latest)) return latest;
    return this.#parts.jobs.enqueue({
      id: newId(),
      kind: this.#kind,
      projectId: index.projectId,
      indexId: index.id,
      subject,
      input,
      createdAt: new Date(Math.max(Date.now(), momentAfter(latest))).toISOString(),
    });
  }
}

/** The clock may have been set back since: the newest job is the one that was created last all the same. */
function momentAfter(job: Job | undefined): number {
  return job === undefined ? 0 : Date.parse(job.createdAt) + 1;
}
