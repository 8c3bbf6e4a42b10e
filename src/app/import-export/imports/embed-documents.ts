// Embeds the texts of imported documents as upserts do, and completes the documents with their vectors.
import { type EmbeddingCall, embedFieldTexts } from '../../../domain/embedding/embed-field-texts.ts';
import { type EmbeddedField, embeddedFields } from '../../../domain/embedding/embedded-fields.ts';
import { Fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import { flushDenormals } from '../../../domain/records/dense-vector.ts';
import { checkDocument } from '../../../domain/records/document-rules.ts';
import type { StorableRecord } from '../../../domain/records/record.ts';
import { type PackedRecords, packRecords, unpackRecords } from '../../../engine/port/packed-records.ts';
import type { PendingTexts, RefusedRow } from '../../../file-formats/port.ts';
import { JobFailure } from '../../../jobs/port.ts';
import { retryWhileOverloaded } from '../../../jobs/retry-while-overloaded.ts';

/** A batch whose documents lack the vectors of their texts. */
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

type Slot = 'dense' | 'sparse';

interface Document {
  readonly record: StorableRecord;
  readonly texts: PendingTexts;
}

interface DocumentCall extends EmbeddingCall {
  readonly index: IndexProfile;
}

/** Faults that a retry would meet again. */
const FOR_GOOD = new Set(['embedding-changed', 'not-integrated']);

/** @throws JobFailure when the models of the index have changed; what the models throw */
export async function embedDocuments(call: DocumentCall, batch: PendingBatch): Promise<CompleteBatch> {
  const { documents: schema, dimension } = call.index;
  if (schema === null) throw new Error('only documents have texts to embed');
  const fields = embeddedFields(schema);
  const work = new EmbeddingWork(batch);
  const made = {
    dense: await work.embed(call, 'dense', fields.dense),
    sparse: await work.embed(call, 'sparse', fields.sparse),
  };
  const records: StorableRecord[] = [];
  for (const document of work.accepted) {
    const record = withVectors(document, {
      dense: made.dense.get(document),
      sparse: made.sparse.get(document),
    });
    // A text without words leaves a document without its sparse vector, and maybe without anything to search.
    if (work.accepts(document, () => checkDocument(schema, record))) records.push(record);
  }
  return {
    records: records.length === 0 ? null : packRecords(records, dimension),
    refused: work.refused.toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0)),
  };
}

class EmbeddingWork {
  readonly #file: string;
  accepted: readonly Document[];
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

  /** Embeds one field of all documents that set it. Refuses documents whose text is too long for the model. */
  async embed(
    call: DocumentCall,
    slot: Slot,
    field: EmbeddedField | null,
  ): Promise<ReadonlyMap<Document, Embedding>> {
    for (;;) {
      const setting = this.accepted.filter(({ texts }) => texts[slot] !== null);
      if (field === null || setting.length === 0) return new Map();
      const texts = setting.map((document) => document.texts[slot] ?? '');
      const request = {
        texts,
        field,
        slot: slot === 'dense' ? 'embed' : 'sparseEmbed',
        use: 'write_parameters',
      } as const;
      try {
        const { embeddings } = await retryWhileOverloaded(call.signal, () => embedFieldTexts(call, request));
        return new Map(setting.map((document, at) => [document, embeddingAt(embeddings, at)]));
      } catch (error) {
        const tooLong = error instanceof InputTooLong ? setting[error.position] : undefined;
        if (!(error instanceof InputTooLong) || tooLong === undefined) throw judged(error);
        this.#refuse(tooLong, error.saidOf(`Field '${field.name}'`, 'write_parameters'));
      }
    }
  }

  /** False when the check refuses the document. */
  accepts(document: Document, check: () => void): boolean {
    try {
      check();
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#refuse(document, error);
      return false;
    }
  }

  #refuse(document: Document, { message: reason }: Fault): void {
    const { record, texts } = document;
    this.refused.push({ file: this.#file, row: texts.row, id: record.id, reason });
    this.accepted = this.accepted.filter((each) => each !== document);
  }
}

function embeddingAt(embeddings: readonly Embedding[], at: number): Embedding {
  const embedding = embeddings[at];
  if (embedding === undefined) throw new Error('the model returned no embedding for a text');
  return embedding;
}

function withVectors(
  { record }: Document,
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
