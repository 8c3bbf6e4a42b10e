// Embeds texts by the model of a field of a document index.
import type { Index } from '../index-model.ts';
import type { Embedding, Inference } from '../inference/port.ts';
import { requireCurrent } from './current-source.ts';
import type { EmbeddedField } from './embedded-fields.ts';
import type { EmbeddingSlot } from './embedding-slots.ts';
import { appliedParameters } from './stored-parameters.ts';

/** The index, the models, and the signal that ends the work. */
export interface EmbeddingCall {
  readonly index: Pick<Index, 'name' | 'dimension'>;
  readonly inference: Inference;
  readonly signal: AbortSignal;
}

export interface FieldTexts {
  readonly texts: readonly string[];
  readonly field: EmbeddedField;
  readonly slot: 'embed' | 'sparseEmbed';
  readonly use: 'read_parameters' | 'write_parameters';
}

/** @throws embedding-changed, and what the model throws */
export async function embedFieldTexts(
  call: EmbeddingCall,
  { texts, field: { name, field }, slot, use }: FieldTexts,
): Promise<EmbeddedTexts> {
  const declared = field[slot];
  if (declared === null) throw new Error(`field ${name} has no model`);
  const dimension = slot === 'embed' ? call.index.dimension : null;
  return embedTexts(call, { texts, embed: { ...declared, textField: name }, dimension, use });
}

export interface EmbeddedTexts {
  readonly embeddings: readonly Embedding[];
  readonly totalTokens: number;
}

export interface TextsOfSlot
  extends Pick<EmbeddingSlot, 'embed' | 'dimension'>,
    Pick<FieldTexts, 'texts' | 'use'> {}

/** Embeds texts as writes or reads of an index do. @throws embedding-changed, and what the model throws */
export async function embedTexts(
  { index, inference, signal }: EmbeddingCall,
  { texts, embed, dimension, use }: TextsOfSlot,
): Promise<EmbeddedTexts> {
  const { model } = requireCurrent(inference, { name: index.name, embed });
  const stored = use === 'read_parameters' ? embed.readParameters : embed.writeParameters;
  const parameters = appliedParameters(model, stored, { path: use, dimension });
  const expandsQuery = use === 'read_parameters';
  return inference.embed({ model, inputs: texts, parameters: { ...parameters, expandsQuery } }, { signal });
}
