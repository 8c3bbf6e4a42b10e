// The wire form of an index's embedding, in either shape.
import type { IndexEmbedding, StoredParameters } from '../../../domain/embedding/index-embedding.ts';
import type { Index } from '../../../domain/index-model.ts';

type Json = Readonly<Record<string, unknown>>;

/** The embed object of the shape up to 2026-04. */
export function embedToWire({ vectorType, metric, dimension }: Index, embed: IndexEmbedding): Json {
  return {
    model: embed.model,
    field_map: { text: embed.textField },
    ...(dimension === null ? {} : { dimension }),
    metric,
    vector_type: vectorType,
    ...parametersToWire(embed, dimension),
  };
}

/** The field of the 2026-07 schema. */
export function semanticTextToWire({ metric, dimension }: Index, embed: IndexEmbedding): Json {
  const { model } = embed;
  return {
    type: 'semantic_text',
    description: null,
    model,
    dimension,
    metric,
    ...parametersToWire(embed, dimension),
  };
}

/** @param dimension of the index's vectors; null when they are sparse */
export function parametersToWire(
  embed: Pick<IndexEmbedding, 'writeParameters' | 'readParameters'>,
  dimension: number | null,
): Json {
  const shown = (stored: StoredParameters) => (dimension === null ? stored : { dimension, ...stored });
  return { write_parameters: shown(embed.writeParameters), read_parameters: shown(embed.readParameters) };
}
