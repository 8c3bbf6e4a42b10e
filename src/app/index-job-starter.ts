// Starts the one job of its kind that an index, or a subject in it, may have at a time: while it is active, starting again
// finds it.
import type { Catalog } from '../catalog/port.ts';
import { newId } from '../domain/ids.ts';
import type { Index } from '../domain/index-model.ts';
import { isActive, type Job } from '../domain/jobs.ts';
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

  /** The newest job, in any state. */
  async latest({ id, projectId }: Index, subject: IndexWork['subject'] = null): Promise<Job | undefined> {
    const requested = { projectId, kind: this.#kind, indexId: id, ...(subject !== null && { subject }) };
    const { items } = await this.#parts.catalog.jobs.list(requested, { limit: 1, after: null });
    return items[0];
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
      createdAt: new Date().toISOString(),
    });
  }
}
