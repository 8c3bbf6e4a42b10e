// Renders embeddings as JSON in slices: a whole batch at once would block the main thread for tens of milliseconds.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedding } from '../../../domain/inference/port.ts';
import { float32ArrayText } from '../../../domain/records/float32-text.ts';

/** About a millisecond's worth. */
const SLICE_NUMBERS_MAX = 8_192;

/** The joined items of `data`. Other requests are served between slices. */
export async function embeddingsText(embeddings: readonly Embedding[]): Promise<string> {
  const texts: string[] = [];
  let numbers = 0;
  for (const embedding of embeddings) {
    numbers += embedding.values.length;
    if (numbers > SLICE_NUMBERS_MAX) {
      await nextTurn();
      numbers = embedding.values.length;
    }
    texts.push(embeddingText(embedding));
  }
  return texts.join(',');
}

function embeddingText(embedding: Embedding): string {
  const values = float32ArrayText(embedding.values);
  if (embedding.vectorType === 'dense') return `{"vector_type":"dense","values":${values}}`;
  const { indices, tokens } = embedding;
  const shown = tokens === undefined ? '' : `,"sparse_tokens":${JSON.stringify(tokens)}`;
  return `{"vector_type":"sparse","sparse_values":${values},"sparse_indices":[${indices.join(',')}]${shown}}`;
}
