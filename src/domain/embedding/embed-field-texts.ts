// Embeds texts by the model of a field of a document index.
import type { Index } from '../index-model.ts';
import type { Embedding, Inference } from '../inference/port.ts';
import { requireCurrent } from './current-source.ts';
import type { EmbeddedField } from './embedded-fields.ts';
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
  { index, inference, signal }: EmbeddingCall,
  { texts, field: { name, field }, slot, use }: FieldTexts,
): Promise<{ readonly embeddings: readonly Embedding[]; readonly totalTokens: number }> {
  const declared = field[slot];
  const embed = declared === null ? null : { ...declared, textField: name };
  const { model } = requireCurrent(inference, { name: index.name, embed });
  if (embed === null) throw new Error(`field ${name} has no model`);
  const stored = use === 'read_parameters' ? embed.readParameters : embed.writeParameters;
  const dimension = slot === 'embed' ? index.dimension : null;
  const parameters = appliedParameters(model, stored, { path: use, dimension });
  const expandsQuery = use === 'read_parameters';
  return inference.embed({ model, inputs: texts, parameters: { ...parameters, expandsQuery } }, { signal });
}
