// Compares the source of an index's vectors with the source that serves its model now.
import { type Fault, fault } from '../faults.ts';
import type { Index } from '../index-model.ts';
import { type EmbedModel, isEmbedModel } from '../inference/model.ts';
import type { Inference } from '../inference/port.ts';
import { type EmbeddingSource, sourceText } from './embedding-source.ts';
import type { IndexEmbedding } from './index-embedding.ts';

/** The part of the inference port that the rules of integrated indexes use. */
export type ModelListing = Pick<Inference, 'models' | 'model' | 'embeddingSource'>;

/** The part of an index that text operations need. */
export type EmbeddedIndex = Pick<Index, 'name' | 'embed'>;

export interface CurrentSource {
  readonly model: EmbedModel;
  readonly source: EmbeddingSource;
}

/** Null when no provider serves an embedding model of this name. */
export function currentSource(listing: ModelListing, name: string): CurrentSource | null {
  const model = listing.model(name);
  const source = listing.embeddingSource(name);
  return model === undefined || !isEmbedModel(model) || source === undefined ? null : { model, source };
}

export function isSameSource(one: EmbeddingSource, other: EmbeddingSource): boolean {
  return one.provider === other.provider && one.revision === other.revision;
}

/** Whether all vectors are of this source. */
export function isMadeBy(
  { source }: CurrentSource,
  embed: Pick<IndexEmbedding, 'source' | 'remaking'>,
): boolean {
  return embed.remaking === null && isSameSource(embed.source, source);
}

/**
 * Returns the source that would re-embed an index.
 * @throws not-integrated; embedding-changed when no provider serves its model
 */
export function requireServed(listing: ModelListing, { name, embed }: EmbeddedIndex): CurrentSource {
  if (embed === null) throw fault('not-integrated');
  const current = currentSource(listing, embed.model);
  if (current === null) throw embeddingChanged(name, embed, null);
  return current;
}

/**
 * Returns the embedding of an index and its model. Vectors of two sources never mix.
 * @throws not-integrated, embedding-changed
 */
export function requireCurrent(
  listing: ModelListing,
  { name, embed }: EmbeddedIndex,
): { readonly embed: IndexEmbedding; readonly model: EmbedModel } {
  if (embed === null) throw fault('not-integrated');
  const current = currentSource(listing, embed.model);
  if (current === null || !isMadeBy(current, embed)) {
    throw embeddingChanged(name, embed, current);
  }
  return { embed, model: current.model };
}

function embeddingChanged(name: string, embed: IndexEmbedding, current: CurrentSource | null): Fault {
  const { source, remaking } = embed;
  const stored =
    sourceText(source) + (remaking === null ? '' : ` and, in part, by ${otherText(source, remaking)}`);
  return fault('embedding-changed', {
    index: name,
    stored,
    current: current === null ? 'nobody' : sourceText(current.source),
  });
}

/** Of what an undo has brought back, nothing is known. */
function otherText(source: EmbeddingSource, remaking: EmbeddingSource): string {
  return isSameSource(source, remaking) ? 'another one, before an undo' : sourceText(remaking);
}
