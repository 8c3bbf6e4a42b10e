// Texts of assistants as vectors: for passages when files are processed, for queries when they are asked.
import type { AssistantModels } from '../../domain/assistants/assistant.ts';
import { embedModel } from '../../domain/inference/find-model.ts';
import type { DenseEmbedding, Embedding, Inference, SparseEmbedding } from '../../domain/inference/port.ts';
import { readEmbedParameters } from '../../domain/inference/read-parameters.ts';

export interface EmbedOptions {
  readonly inputType: 'passage' | 'query';
  readonly signal: AbortSignal;
}

export class TextEmbedder {
  readonly #inference: Inference;
  readonly #models: AssistantModels;

  constructor(inference: Inference, models: AssistantModels) {
    this.#inference = inference;
    this.#models = models;
  }

  /** In the order of the texts. @throws as `Inference.embed` */
  async dense(texts: readonly string[], options: EmbedOptions): Promise<readonly DenseEmbedding[]> {
    const found = await this.#embedBy(this.#models.dense.model, texts, options);
    return found.map((each) => {
      if (each.vectorType !== 'dense') throw new Error('a dense model gave a sparse vector');
      return each;
    });
  }

  /** As `dense`, for assistants with a sparse model. */
  async sparse(texts: readonly string[], options: EmbedOptions): Promise<readonly SparseEmbedding[]> {
    const found = await this.#embedBy(this.#models.sparse.model, texts, options);
    return found.map((each) => {
      if (each.vectorType !== 'sparse') throw new Error('a sparse model gave a dense vector');
      return each;
    });
  }

  async #embedBy(
    name: string,
    inputs: readonly string[],
    { inputType, signal }: EmbedOptions,
  ): Promise<readonly Embedding[]> {
    const model = embedModel(this.#inference, name);
    const parameters = readEmbedParameters(model, {}, { inputType });
    // Headings and a long chunk may be more than a small model takes: its beginning says what it is about.
    const cut = parameters.truncate === 'NONE' ? { ...parameters, truncate: 'END' as const } : parameters;
    const { embeddings } = await this.#inference.embed({ model, inputs, parameters: cut }, { signal });
    return embeddings;
  }
}
