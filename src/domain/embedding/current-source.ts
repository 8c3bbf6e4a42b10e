// Who makes the vectors of an integrated index now, and whether that is who made those it holds.
import { type Fault, fault } from '../faults.ts';
import type { Index } from '../index-model.ts';
import { type EmbedModel, isEmbedModel } from '../inference/model.ts';
import type { Inference } from '../inference/port.ts';
import { type EmbeddingSource, sourceText } from './embedding-source.ts';
import type { IndexEmbedding } from './index-embedding.ts';

/** What the rules of integrated indexes ask of models. */
export type ModelListing = Pick<Inference, 'models' | 'model' | 'embeddingSource'>;

/** The part of an index that texts concern. */
export type EmbeddedIndex = Pick<Index, 'name' | 'embed'>;

export interface CurrentSource {
  readonly model: EmbedModel;
  readonly source: EmbeddingSource;
}

/** Null when nobody serves an embedding model of this name. */
export function currentSource(listing: ModelListing, name: string): CurrentSource | null {
  const model = listing.model(name);
  const source = listing.embeddingSource(name);
  return model === undefined || !isEmbedModel(model) || source === undefined ? null : { model, source };
}

export function isSameSource(one: EmbeddingSource, other: EmbeddingSource): boolean {
  return one.provider === other.provider && one.revision === other.revision;
}

/**
 * Who would make the vectors of an index anew.
 * @throws not-integrated; embedding-changed when nobody serves its model
 */
export function requireServed(listing: ModelListing, { name, embed }: EmbeddedIndex): CurrentSource {
  if (embed === null) throw fault('not-integrated');
  const current = currentSource(listing, embed.model);
  if (current === null) throw embeddingChanged(name, embed, null);
  return current;
}

/**
 * The embedding of an index and the model to use for it: vectors of two sources never meet.
 * @throws not-integrated, embedding-changed
 */
export function requireCurrent(
  listing: ModelListing,
  { name, embed }: EmbeddedIndex,
): { readonly embed: IndexEmbedding; readonly model: EmbedModel } {
  if (embed === null) throw fault('not-integrated');
  const current = currentSource(listing, embed.model);
  if (current === null || embed.remaking !== null || !isSameSource(current.source, embed.source)) {
    throw embeddingChanged(name, embed, current);
  }
  return { embed, model: current.model };
}

function embeddingChanged(name: string, embed: IndexEmbedding, current: CurrentSource | null): Fault {
  const { source, remaking } = embed;
  const stored = sourceText(source) + (remaking === null ? '' : ` and, in part, by ${sourceText(remaking)}`);
  return fault('embedding-changed', {
    index: name,
    stored,
    current: current === null ? 'nobody' : sourceText(current.source),
  });
}
