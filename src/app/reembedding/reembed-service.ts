// The service for re-embeddings: stores a job at once, which does the work.
import type { ProjectAccess } from '../../domain/access.ts';
import { isMadeBy, type ModelListing, requireServed } from '../../domain/embedding/current-source.ts';
import { embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import type { Reembedding, Reembeddings } from '../../domain/embedding/reembedding.ts';
import { fault } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import type { EmbedModel } from '../../domain/inference/model.ts';

import { IndexJobStarter, type IndexJobStarterParts } from '../index-job-starter.ts';
import { REEMBED_KIND, reembeddingOf } from './reembed-progress.ts';

/** @throws not-integrated; embedding-changed when no provider serves a model; wrong-index-kind for texts that it needs and that are not stored, or another dimension */
function requireEmbeddable(listing: ModelListing, index: Index): void {
  const { name } = index;
  if (index.modelChange !== undefined) {
    throw fault('wrong-index-kind', {
      reason: `Index ${name} cannot be embedded again while its model is being changed`,
    });
  }
  const slots = embeddingSlots(index);
  if (slots.length === 0) throw fault('not-integrated');
  for (const { embed, dimension, isStored } of slots) {
    const current = requireServed(listing, { name, embed });
    requireDimension(current.model, dimension, name);
    // Vectors that are current stay as they are, and need no texts.
    if (isStored || isMadeBy(current, embed)) continue;
    const why = `field '${embed.textField}' does not store its texts (store_text is false)`;
    throw fault('wrong-index-kind', { reason: `Index ${name} cannot be embedded again: ${why}` });
  }
}

/** A model of another length would fail at its first text, after the job was stored and reported as begun. */
function requireDimension(model: EmbedModel, dimension: number | null, name: string): void {
  if (dimension === null || model.vectorType !== 'dense' || model.dimensions.includes(dimension)) return;
  throw fault('wrong-index-kind', {
    reason: `Index ${name} cannot be embedded again: it has dimension ${dimension}, and model '${model.name}' of ${model.providerName} makes vectors of dimension ${model.dimensions.join(', ')}`,
  });
}

export interface ReembedServiceParts extends IndexJobStarterParts {
  readonly indexes: Pick<IndexLifecycle, 'describe'>;
  readonly inference: ModelListing;
}

export class ReembedService implements Reembeddings {
  readonly #parts: ReembedServiceParts;
  readonly #starter: IndexJobStarter;

  constructor(parts: ReembedServiceParts) {
    this.#parts = parts;
    this.#starter = new IndexJobStarter(parts, REEMBED_KIND);
  }

  async start(access: ProjectAccess, name: string): Promise<Reembedding> {
    const index = await this.#parts.indexes.describe(access, name);
    requireEmbeddable(this.#parts.inference, index);
    return reembeddingOf(await this.#starter.startAgain(index));
  }

  async latest(access: ProjectAccess, name: string): Promise<Reembedding> {
    const latest = await this.#starter.latest(await this.#parts.indexes.describe(access, name));
    if (latest === undefined) throw fault('reembedding-not-found', { index: name });
    return reembeddingOf(latest);
  }
}
