// Texts of assistants as vectors: for passages when files are processed, for queries when they are asked.
import type { AssistantModels } from '../../domain/assistants/assistant.ts';
import { embedModel } from '../../domain/inference/find-model.ts';
import type { DenseEmbedding, Embedding, Inference, SparseEmbedding } from '../../domain/inference/port.ts';
import { readEmbedParameters } from '../../domain/inference/read-parameters.ts';

export interface EmbeddedText {
  readonly dense: DenseEmbedding;
  readonly sparse: SparseEmbedding;
}

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
  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly EmbeddedText[]> {
    const { dense } = this.#models;
    const [denses, sparses] = await Promise.all([
      this.#embedBy(dense.model, texts, options),
      this.sparse(texts, options),
    ]);
    return texts.map((_, at) => {
      const [one, other] = [denses[at], sparses[at]];
      if (one?.vectorType !== 'dense' || other === undefined) throw new Error('a text has no embedding');
      return { dense: one, sparse: other };
    });
  }

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
