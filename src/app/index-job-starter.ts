// Starts the one job of its kind that an index may have at a time: while it is active, starting again finds it.
import type { Catalog } from '../catalog/port.ts';
import { newId } from '../domain/ids.ts';
import type { Index } from '../domain/index-model.ts';
import { isActive, type Job } from '../domain/jobs.ts';
import type { JobQueue } from '../jobs/port.ts';

export interface IndexJobStarterParts {
  readonly catalog: Pick<Catalog, 'jobs'>;
  readonly jobs: Pick<JobQueue, 'enqueue'>;
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

  /** The active job of the index, or a new one. */
  async start(index: Index): Promise<Job> {
    const underWay = this.#starting.get(index.id) ?? this.#start(index);
    this.#starting.set(index.id, underWay);
    try {
      return await underWay;
    } finally {
      this.#starting.delete(index.id);
    }
  }

  /** The newest job of the index, in any state. */
  async latest({ id, projectId }: Index): Promise<Job | undefined> {
    const requested = { projectId, kind: this.#kind, indexId: id };
    const { items } = await this.#parts.catalog.jobs.list(requested, { limit: 1, after: null });
    return items[0];
  }

  async #start(index: Index): Promise<Job> {
    const latest = await this.latest(index);
    if (latest !== undefined && isActive(latest)) return latest;
    return this.#parts.jobs.enqueue({
      id: newId(),
      kind: this.#kind,
      projectId: index.projectId,
      indexId: index.id,
      subject: null,
      input: {},
      createdAt: new Date().toISOString(),
    });
  }
}
