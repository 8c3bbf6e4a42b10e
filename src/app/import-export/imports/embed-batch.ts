// Embeds the texts of imported records as upserts do, and completes the records with their vectors.
import { blankText, isBlank } from '../../../domain/embedding/blank-text.ts';
import { type EmbeddingCall, embedTexts } from '../../../domain/embedding/embed-field-texts.ts';
import { type EmbeddingSlot, embeddingSlots } from '../../../domain/embedding/embedding-slots.ts';
import { Fault, invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import { uncountedOf } from '../../../domain/imports/uncounted.ts';
import type { Index } from '../../../domain/index-model.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import { flushDenormals } from '../../../domain/records/dense-vector.ts';
import { checkDocument } from '../../../domain/records/document-rules.ts';
import type { StorableRecord } from '../../../domain/records/record.ts';
import { type PackedRecords, packRecords, unpackRecords } from '../../../engine/port/packed-records.ts';
import type { PendingTexts, RefusedRow } from '../../../file-formats/port.ts';
import { JobFailure } from '../../../jobs/port.ts';
import { retryWhileOverloaded } from '../../../jobs/retry-while-overloaded.ts';

/** A batch whose records lack the vectors of their texts. */
export interface PendingBatch {
  readonly file: string;
  readonly records: PackedRecords;
  /** One entry for each record. */
  readonly pending: readonly PendingTexts[];
  readonly refused: readonly RefusedRow[];
}

export interface CompleteBatch {
  /** Null when every row was refused. */
  readonly records: PackedRecords | null;
  readonly refused: readonly RefusedRow[];
}

type Part = 'dense' | 'sparse';

interface Row {
  readonly record: StorableRecord;
  readonly texts: PendingTexts;
}

interface BatchCall extends EmbeddingCall {
  readonly index: Pick<Index, 'name' | 'dimension' | 'embed' | 'documents' | 'timeToLive'>;
}

/** Faults that a retry would meet again. */
const FOR_GOOD = new Set(['embedding-changed', 'not-integrated']);

/** @throws JobFailure when the models of the index have changed; what the models throw */
export async function embedBatch(call: BatchCall, batch: PendingBatch): Promise<CompleteBatch> {
  const { documents, dimension } = call.index;
  const slots = embeddingSlots(call.index);
  const work = new EmbeddingWork(batch);
  const made = {
    dense: await work.embed(
      call,
      'dense',
      slots.find((slot) => partOf(slot) === 'dense'),
    ),
    sparse: await work.embed(
      call,
      'sparse',
      slots.find((slot) => partOf(slot) === 'sparse'),
    ),
  };
  const records: StorableRecord[] = [];
  for (const row of work.accepted) {
    const record = withVectors(row, { dense: made.dense.get(row), sparse: made.sparse.get(row) });
    // A text without words leaves a record without its sparse vector, and maybe without anything to search.
    const check = () =>
      documents === null
        ? checkVector(call.index, record)
        : checkDocument(documents, record, uncountedOf(call.index));
    if (work.accepts(row, check)) records.push(record);
  }
  return {
    records: records.length === 0 ? null : packRecords(records, dimension),
    refused: work.refused.toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0)),
  };
}

function partOf({ dimension }: EmbeddingSlot): Part {
  return dimension === null ? 'sparse' : 'dense';
}

function checkVector({ embed }: BatchCall['index'], { values, sparse }: StorableRecord): void {
  if (values !== null || sparse !== null) return;
  throw invalid(`Field '${fieldText(embed?.textField ?? '')}' holds no word that could be searched for`);
}

class EmbeddingWork {
  readonly #file: string;
  accepted: readonly Row[];
  readonly refused: RefusedRow[];

  constructor({ file, records, pending, refused }: PendingBatch) {
    this.#file = file;
    this.refused = [...refused];
    const unpacked = unpackRecords(records);
    this.accepted = pending.flatMap((texts, at) => {
      const record = unpacked[at];
      return record === undefined ? [] : [{ record, texts }];
    });
  }

  /** Embeds one text of all rows that have it. Refuses rows whose text is too long for the model, or blank. */
  async embed(
    call: BatchCall,
    part: Part,
    slot: EmbeddingSlot | undefined,
  ): Promise<ReadonlyMap<Row, Embedding>> {
    const made = new Map<Row, Embedding>();
    if (part === 'dense' && slot !== undefined) this.#refuseBlank(slot.embed.textField);
    for (;;) {
      const missing = this.accepted.filter((row) => !isBlank(row.texts[part] ?? '') && !made.has(row));
      if (slot === undefined || missing.length === 0) return made;
      const { embed, dimension } = slot;
      const rows = missing.slice(0, call.inference.model(embed.model)?.maxBatchSize ?? missing.length);
      const texts = rows.map((row) => row.texts[part] ?? '');
      const request = { texts, embed, dimension, use: 'write_parameters' } as const;
      try {
        const { embeddings } = await retryWhileOverloaded(call.signal, () => embedTexts(call, request));
        for (const [at, row] of rows.entries()) made.set(row, embeddingAt(embeddings, at));
      } catch (error) {
        const tooLong = error instanceof InputTooLong ? rows[error.position] : undefined;
        if (!(error instanceof InputTooLong) || tooLong === undefined) throw judged(error);
        this.#refuse(tooLong, error.saidOf(`Field '${fieldText(embed.textField)}'`, 'write_parameters'));
      }
    }
  }

  /** False when the check refuses the row. */
  accepts(row: Row, check: () => void): boolean {
    try {
      check();
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#refuse(row, error);
      return false;
    }
  }

  #refuseBlank(field: string): void {
    const isRefused = ({ texts: { dense } }: Row) => dense !== null && isBlank(dense);
    for (const row of this.accepted.filter(isRefused)) this.#refuse(row, blankText(field));
  }

  #refuse(row: Row, { message: reason }: Fault): void {
    const { record, texts } = row;
    this.refused.push({ file: this.#file, row: texts.row, id: record.id, reason });
    this.accepted = this.accepted.filter((each) => each !== row);
  }
}

function embeddingAt(embeddings: readonly Embedding[], at: number): Embedding {
  const embedding = embeddings[at];
  if (embedding === undefined) throw new Error('the model returned no embedding for a text');
  return embedding;
}

function withVectors(
  { record }: Row,
  { dense, sparse }: { readonly dense: Embedding | undefined; readonly sparse: Embedding | undefined },
): StorableRecord {
  return {
    ...record,
    ...(dense?.vectorType === 'dense' && { values: flushDenormals(dense.values) }),
    ...(sparse?.vectorType === 'sparse' &&
      sparse.indices.length > 0 && {
        sparse: { indices: sparse.indices, values: flushDenormals(sparse.values) },
      }),
  };
}

function judged(error: unknown): unknown {
  return error instanceof Fault && FOR_GOOD.has(error.condition)
    ? new JobFailure(error.message, error)
    : error;
}
