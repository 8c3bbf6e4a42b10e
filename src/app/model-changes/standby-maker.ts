// Makes the records of the vectors that do not answer: their texts embedded by their own models, all else as it is.

import { isSameSource, requireServed } from '../../domain/embedding/current-source.ts';
import { type EmbeddingSlot, embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import { type EmbeddingSource, sourceText } from '../../domain/embedding/embedding-source.ts';
import type { IndexEmbedding } from '../../domain/embedding/index-embedding.ts';
import { differingSlots } from '../../domain/embedding/model-change.ts';
import { Fault } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import type { Inference } from '../../domain/inference/port.ts';
import type { StorableRecord } from '../../domain/records/record.ts';
import { namespaceToShown } from '../../domain/records/record-id.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { RecordMaker } from '../reembedding/record-maker.ts';

/** A record cannot be among the other vectors; its owner must change it. */
export class Unembeddable extends Error {}

/** Vectors of two sources never mix. */
export class SourceChanged extends Error {
  constructor({ model, source }: IndexEmbedding, current: EmbeddingSource) {
    super(
      `Those of model '${model}' were made by ${sourceText(source)}, and it is now served by ${sourceText(current)}. Restore the provider, or end the change.`,
    );
  }
}

export interface StandbyMakerParts {
  readonly active: Index;
  readonly standby: Index;
  readonly inference: Inference;
  readonly signal: AbortSignal;
}

type Vectors = Pick<StorableRecord, 'values' | 'sparse'>;

export class StandbyMaker {
  readonly #parts: StandbyMakerParts;
  /** For each embedding that differs. */
  readonly #makers: readonly { readonly slot: EmbeddingSlot; readonly maker: RecordMaker }[];

  /**
   * @throws embedding-changed when no provider serves a model of the other vectors; SourceChanged when another one does
   * than has made them
   */
  constructor(parts: StandbyMakerParts) {
    const { active, standby, inference, signal } = parts;
    this.#parts = parts;
    const differing = differingSlots(standby, active);
    this.#makers = embeddingSlots(standby)
      .filter(({ kind }) => differing.has(kind))
      .map((slot) => {
        const { model, source } = requireServed(inference, { name: standby.name, embed: slot.embed });
        if (!isSameSource(source, slot.embed.source)) throw new SourceChanged(slot.embed, source);
        return { slot, maker: new RecordMaker({ slot, model, inference, signal }) };
      });
  }

  /**
   * @param known the present records of the other vectors, whose vectors are kept where the text is the same
   * @throws Unembeddable, and what a model throws
   */
  async make(
    namespace: string,
    records: readonly StorableRecord[],
    known: readonly StorableRecord[] = [],
  ): Promise<readonly StorableRecord[]> {
    const knownById = new Map(known.map((record) => [record.id, record]));
    let made = records;
    for (const { slot, maker } of this.#makers) {
      const vectors = await this.#vectorsOf(maker, { namespace, records, knownById, slot });
      made = made.map((record) => this.#withVectors(record, vectors.get(record.id), { slot, namespace }));
    }
    return made;
  }

  async #vectorsOf(
    maker: RecordMaker,
    {
      namespace,
      records,
      knownById,
      slot,
    }: {
      readonly namespace: string;
      readonly records: readonly StorableRecord[];
      readonly knownById: ReadonlyMap<string, StorableRecord>;
      readonly slot: EmbeddingSlot;
    },
  ): Promise<ReadonlyMap<string, Partial<Vectors>>> {
    const vectors = new Map<string, Partial<Vectors>>();
    for (const slice of maker.slices(records)) {
      this.#parts.signal.throwIfAborted();
      const formerTexts = new Map(
        maker.texts(slice.flatMap(({ id }) => knownById.get(id) ?? [])).map(({ id, text }) => [id, text]),
      );
      const texts = maker.texts(slice);
      for (const { id, text } of texts) {
        const former = formerTexts.get(id) === text ? knownById.get(id) : undefined;
        if (former === undefined) continue;
        vectors.set(id, slot.dimension === null ? { sparse: former.sparse } : { values: former.values });
      }
      const missing = texts.filter(({ id }) => !vectors.has(id));
      if (missing.length === 0) continue;
      const { changes } = await retryWhileOverloaded(this.#parts.signal, () =>
        maker.vectorsFor(namespace, missing),
      ).catch(asUnembeddable);
      for (const { id, values, sparse } of changes)
        vectors.set(id, slot.dimension === null ? { sparse } : { values });
    }
    return vectors;
  }

  #withVectors(
    record: StorableRecord,
    vectors: Partial<Vectors> | undefined,
    { slot, namespace }: { readonly slot: EmbeddingSlot; readonly namespace: string },
  ): StorableRecord {
    if (vectors !== undefined) return { ...record, ...vectors };
    // Its caller supplied the vector, which fits vectors of the same length only.
    if (slot.dimension === this.#parts.active.dimension || slot.dimension === null) return record;
    throw new Unembeddable(
      `Record ${namespaceToShown(namespace)}/${record.id} has no text in field '${slot.embed.textField}', and its vector of dimension ${record.values?.length ?? 0} does not fit dimension ${slot.dimension}. Give it a text, or delete it.`,
    );
  }
}

function asUnembeddable(error: unknown): never {
  if (error instanceof Fault && error.condition === 'invalid-argument') throw new Unembeddable(error.message);
  throw error;
}
