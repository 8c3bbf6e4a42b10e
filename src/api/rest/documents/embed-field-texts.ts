// Embeds texts by the model of a field of a document index.
import { requireCurrent } from '../../../domain/embedding/current-source.ts';
import { appliedParameters } from '../../../domain/embedding/stored-parameters.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import type { PreprocessorCall } from '../../endpoint.ts';
import type { EmbeddedField } from './made-vectors.ts';

export interface FieldTexts {
  readonly texts: readonly string[];
  readonly field: EmbeddedField;
  readonly slot: 'embed' | 'sparseEmbed';
  readonly use: 'read_parameters' | 'write_parameters';
}

/** @throws embedding-changed, and what the model throws */
export async function embedFieldTexts(
  { index, inference, signal }: Pick<PreprocessorCall, 'index' | 'inference' | 'signal'>,
  { texts, field: { name, field }, slot, use }: FieldTexts,
): Promise<{ readonly embeddings: readonly Embedding[]; readonly totalTokens: number }> {
  const declared = field[slot];
  const embed = declared === null ? null : { ...declared, textField: name };
  const { model } = requireCurrent(inference, { name: index.name, embed });
  if (embed === null) throw new Error(`field ${name} has no model`);
  const stored = use === 'read_parameters' ? embed.readParameters : embed.writeParameters;
  const dimension = slot === 'embed' ? index.dimension : null;
  const parameters = appliedParameters(model, stored, { path: use, dimension });
  return inference.embed({ model, inputs: texts, parameters }, { signal });
}
