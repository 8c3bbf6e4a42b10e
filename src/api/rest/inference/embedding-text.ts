// Renders embeddings as JSON in slices: a whole batch at once would block the main thread for tens of milliseconds.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedding } from '../../../domain/inference/port.ts';
import { float32ArrayText } from '../../../domain/records/float32-text.ts';

/** About a millisecond's worth. */
const SLICE_NUMBERS_MAX = 8_192;

/** The items of a list of embeddings, while they are rendered. Other requests are served between slices. */
export class EmbeddingTexts<Item extends Pick<Embedding, 'values'>> {
  readonly #textOf: (embedding: Item, position: number) => string;
  readonly #hold: (bytes: number) => void;
  readonly #texts: string[] = [];
  #numbers = 0;
  #bytes = 0;

  /** @param hold is told the bytes of all items so far; what it throws ends the work */
  constructor(textOf: (embedding: Item, position: number) => string, hold: (bytes: number) => void) {
    this.#textOf = textOf;
    this.#hold = hold;
  }

  /** @throws what `hold` throws */
  async add(embeddings: readonly Item[]): Promise<void> {
    for (const embedding of embeddings) {
      const { length } = embedding.values;
      this.#numbers += length;
      if (this.#numbers > SLICE_NUMBERS_MAX) {
        await nextTurn();
        this.#numbers = length;
      }
      const text = this.#textOf(embedding, this.#texts.length);
      this.#texts.push(text);
      this.#bytes += text.length + 1;
      this.#hold(this.#bytes);
    }
  }

  joined(): string {
    return this.#texts.join(',');
  }
}

/** Bytes that a dense vector takes in JSON at least: each number has a digit, and a comma or a bracket. */
export function denseTextBytesMin(dimension: number): number {
  return 2 * dimension;
}

/** An item of `data` as `POST /embed` answers it. */
export function embeddingText(embedding: Embedding): string {
  const values = float32ArrayText(embedding.values);
  if (embedding.vectorType === 'dense') return `{"vector_type":"dense","values":${values}}`;
  const { indices, tokens } = embedding;
  const shown = tokens === undefined ? '' : `,"sparse_tokens":${JSON.stringify(tokens)}`;
  return `{"vector_type":"sparse","sparse_values":${values},"sparse_indices":[${indices.join(',')}]${shown}}`;
}
