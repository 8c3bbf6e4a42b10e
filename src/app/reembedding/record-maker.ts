// Embeds the texts of stored records again, like a write would, in batches that the model takes.
import type { EmbeddingSlot } from '../../domain/embedding/embedding-slots.ts';
import { appliedParameters } from '../../domain/embedding/stored-parameters.ts';
import { invalid } from '../../domain/faults.ts';
import { InputTooLong } from '../../domain/inference/input-too-long.ts';
import type { EmbedModel } from '../../domain/inference/model.ts';
import type { Embedding, Inference } from '../../domain/inference/port.ts';
import type { EmbedParameters } from '../../domain/inference/read-parameters.ts';
import { flushDenormals } from '../../domain/records/dense-vector.ts';
import { parseMetadata } from '../../domain/records/metadata.ts';
import type { StorableRecord } from '../../domain/records/record.ts';
import { namespaceToShown } from '../../domain/records/record-id.ts';
import type { RecordChange } from '../../engine/port/reader-and-writer.ts';

export interface StoredText {
  readonly id: string;
  readonly text: string;
}

/** New vectors for records of a namespace; deleted records stay deleted. */
export interface VectorChanges {
  readonly namespace: string;
  readonly changes: readonly RecordChange[];
}

export interface RecordMakerParts {
  readonly slot: EmbeddingSlot;
  readonly model: EmbedModel;
  readonly inference: Pick<Inference, 'embed'>;
  readonly signal: AbortSignal;
}

export class RecordMaker {
  readonly #parts: RecordMakerParts;
  /** In the order in which a record's text is looked for. */
  readonly #textFields: readonly string[];
  readonly #parameters: EmbedParameters;

  constructor(parts: RecordMakerParts) {
    this.#parts = parts;
    const { embed, dimension } = parts.slot;
    const place = { path: 'write_parameters', dimension } as const;
    const parameters = appliedParameters(parts.model, embed.writeParameters, place);
    this.#textFields = [embed.textField, ...(embed.formerTextFields ?? [])];
    // An accepted text may be too long for another model.
    this.#parameters = parameters.truncate === 'NONE' ? { ...parameters, truncate: 'END' } : parameters;
  }

  /** Selects records with a text, in the field of today or in a former one; callers supplied the vectors of the others. */
  texts(records: readonly StorableRecord[]): readonly StoredText[] {
    return records.flatMap(({ id, metadataJson }) => {
      const metadata = parseMetadata(metadataJson);
      const text = this.#textFields
        .map((field) => metadata[field])
        .filter((value) => typeof value === 'string')
        .find((value) => this.#isEmbedded(value));
      return text === undefined ? [] : [{ id, text }];
    });
  }

  /** An integrated index has vectors of callers beside texts without a word; documents have none. */
  #isEmbedded(text: string): boolean {
    return this.#parts.slot.kind !== 'index' || text.trim() !== '';
  }

  /** Yields as many records as the model takes at a time, so that other requests are served in between. */
  *slices(records: readonly StorableRecord[]): Generator<readonly StorableRecord[]> {
    const { maxBatchSize } = this.#parts.model;
    for (let first = 0; first < records.length; first += maxBatchSize) {
      yield records.slice(first, first + maxBatchSize);
    }
  }

  /** @throws invalid-argument, naming its record, for a text that is refused or has no token that the model knows; what the model throws */
  async vectorsFor(namespace: string, texts: readonly StoredText[]): Promise<VectorChanges> {
    const { model, inference, signal } = this.#parts;
    const inputs = texts.map(({ text }) => text);
    const { embeddings } = await inference
      .embed({ model, inputs, parameters: this.#parameters }, { signal })
      .catch((error: unknown) => {
        const text = error instanceof InputTooLong ? texts[error.position] : undefined;
        if (!(error instanceof InputTooLong) || text === undefined) throw error;
        throw error.saidOf(
          `The text of record ${namespaceToShown(namespace)}/${text.id}`,
          'write_parameters',
        );
      });
    const changes = texts.map(({ id }, at) => ({
      id,
      ...this.#vectors(embeddings[at], `${namespaceToShown(namespace)}/${id}`),
      setMetadata: null,
    }));
    return { namespace, changes };
  }

  #vectors(
    embedding: Embedding | undefined,
    record: string,
  ): Pick<RecordChange, 'values' | 'sparse' | 'removeSparse'> {
    if (embedding === undefined) throw new Error('a text was answered with no embedding');
    if (embedding.vectorType === 'dense') return { values: flushDenormals(embedding.values), sparse: null };
    const { indices, values } = embedding;
    if (indices.length > 0) return { values: null, sparse: { indices, values: flushDenormals(values) } };
    if (this.#parts.slot.kind !== 'index') return { values: null, sparse: null, removeSparse: true };
    throw invalid(
      `The text of record ${record} holds no word that model '${this.#parts.model.name}' knows. Change or delete it, then run this again.`,
    );
  }
}
