// The service for re-embeddings: stores a job at once, which does the work.
import type { Catalog } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import { type ModelListing, requireServed } from '../../domain/embedding/current-source.ts';
import { embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import type { Reembedding, Reembeddings } from '../../domain/embedding/reembedding.ts';
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import { isActive, type Job } from '../../domain/jobs.ts';
import type { JobQueue } from '../../jobs/port.ts';
import { REEMBED_KIND, reembeddingOf } from './reembed-progress.ts';

/** @throws not-integrated; embedding-changed when no provider serves a model; wrong-index-kind for texts not stored */
function requireEmbeddable(listing: ModelListing, index: Index): void {
  const { name } = index;
  const slots = embeddingSlots(index);
  if (slots.length === 0) throw fault('not-integrated');
  for (const { embed, isStored } of slots) {
    requireServed(listing, { name, embed });
    if (isStored) continue;
    const why = `field '${embed.textField}' does not store its texts (store_text is false)`;
    throw fault('wrong-index-kind', { reason: `Index ${name} cannot be embedded again: ${why}` });
  }
}

export interface ReembedServiceParts {
  readonly catalog: Pick<Catalog, 'jobs'>;
  readonly jobs: Pick<JobQueue, 'enqueue'>;
  readonly indexes: Pick<IndexLifecycle, 'describe'>;
  readonly inference: ModelListing;
}

export class ReembedService implements Reembeddings {
  readonly #parts: ReembedServiceParts;
  /** Concurrent requests share one job. */
  readonly #starting = new Map<string, Promise<Job>>();

  constructor(parts: ReembedServiceParts) {
    this.#parts = parts;
  }

  async start(access: ProjectAccess, name: string): Promise<Reembedding> {
    const index = await this.#parts.indexes.describe(access, name);
    requireEmbeddable(this.#parts.inference, index);
    const underWay = this.#starting.get(index.id) ?? this.#start(index);
    this.#starting.set(index.id, underWay);
    try {
      return reembeddingOf(await underWay);
    } finally {
      this.#starting.delete(index.id);
    }
  }

  async latest(access: ProjectAccess, name: string): Promise<Reembedding> {
    const latest = await this.#latest(await this.#parts.indexes.describe(access, name));
    if (latest === undefined) throw fault('reembedding-not-found', { index: name });
    return reembeddingOf(latest);
  }

  async #start(index: Index): Promise<Job> {
    const latest = await this.#latest(index);
    if (latest !== undefined && isActive(latest)) return latest;
    return this.#parts.jobs.enqueue({
      id: newId(),
      kind: REEMBED_KIND,
      projectId: index.projectId,
      indexId: index.id,
      subject: null,
      input: {},
      createdAt: new Date().toISOString(),
    });
  }

  async #latest({ id, projectId }: Index): Promise<Job | undefined> {
    const requested = { projectId, kind: REEMBED_KIND, indexId: id };
    const { items } = await this.#parts.catalog.jobs.list(requested, { limit: 1, after: null });
    return items[0];
  }
}
