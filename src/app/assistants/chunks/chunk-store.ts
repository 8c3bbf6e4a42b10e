// The chunks of one assistant in the engine: written by jobs, searched by questions, removed by revision.
import { type Assistant, chunkIndexes, REVISION_FIELD } from '../../../domain/assistants/assistant.ts';
import { Fault } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { StorableRecord } from '../../../domain/records/record.ts';
import { packRecords } from '../../../engine/port/packed-records.ts';
import type { QueryRequest } from '../../../engine/port/reader-and-writer.ts';
import type { VectorStore } from '../../../engine/port/vector-store.ts';
import type { EmbeddedText } from '../text-embedder.ts';
import { chunkId, chunkMetadata, revisionOnly, type StoredChunk, storedChunk } from './chunk-record.ts';

/** Chunks of one fetch. */
const FETCH_MAX = 100;
const DEFAULT_NAMESPACE = '';

export type ChunkEngine = Pick<VectorStore, 'reader' | 'writer' | 'copies' | 'createIndex' | 'dropIndex'>;

export interface ChunkStoreParts {
  readonly engine: ChunkEngine;
}

/** Which revisions are searched. Null: all. */
export type RevisionChoice = Filter | null;

export interface ChunkSearch {
  readonly limit: number;
  readonly revisions: RevisionChoice;
}

export interface ChunkHit {
  readonly id: string;
  readonly score: number;
}

export class ChunkStore {
  readonly #parts: ChunkStoreParts;
  readonly #indexes: { readonly dense: IndexProfile; readonly sparse: IndexProfile };

  constructor(parts: ChunkStoreParts, assistant: Assistant) {
    this.#parts = parts;
    this.#indexes = chunkIndexes(assistant);
  }

  /** Safe to repeat. */
  async create(): Promise<void> {
    await this.#parts.engine.createIndex(this.#indexes.dense);
    await this.#parts.engine.createIndex(this.#indexes.sparse);
  }

  /** Safe to repeat. */
  async drop(): Promise<void> {
    await this.#parts.engine.dropIndex(this.#indexes.dense.id);
    await this.#parts.engine.dropIndex(this.#indexes.sparse.id);
  }

  /** On disk and searchable when it resolves. Safe to repeat. @throws overloaded, interrupted, storage-full */
  async write(chunks: readonly StoredChunk[], vectors: readonly EmbeddedText[]): Promise<void> {
    const { dense, sparse } = this.#indexes;
    const records = chunks.map((chunk, at) => {
      const text = vectors[at];
      if (text === undefined) throw new Error('a chunk has no vectors');
      return { id: chunkId(chunk), ...text, whole: chunkMetadata(chunk), short: revisionOnly(chunk) };
    });
    // Text is kept beside the sparse vector, the smaller one to read; beside the dense one where there are no words.
    const denseRecords = records.map(
      ({ id, dense: { values }, sparse: { indices }, whole, short }): StorableRecord => ({
        id,
        values,
        sparse: null,
        metadataJson: indices.length > 0 ? short : whole,
      }),
    );
    const sparseRecords = records
      .filter(({ sparse: { indices } }) => indices.length > 0)
      .map(({ id, sparse: words, whole }) => ({ id, values: null, sparse: words, metadataJson: whole }));
    // What is found has its text: that goes first.
    if (sparseRecords.length > 0) {
      await this.#parts.engine.copies(sparse).write(DEFAULT_NAMESPACE, packRecords(sparseRecords, null));
    }
    await this.#parts.engine
      .copies(dense)
      .write(DEFAULT_NAMESPACE, packRecords(denseRecords, dense.dimension));
  }

  /** Best first. */
  byMeaning(values: Float32Array, search: ChunkSearch): Promise<readonly ChunkHit[]> {
    return this.#query(this.#indexes.dense, { values, sparse: null }, search);
  }

  /** Best first. */
  async byWords(sparse: EmbeddedText['sparse'], search: ChunkSearch): Promise<readonly ChunkHit[]> {
    if (sparse.indices.length === 0) return [];
    return this.#query(this.#indexes.sparse, { values: null, sparse }, search);
  }

  /** By id; those that are gone are left out. */
  async fetch(ids: readonly string[]): Promise<ReadonlyMap<string, StoredChunk>> {
    const found = new Map<string, StoredChunk>();
    for (const index of [this.#indexes.sparse, this.#indexes.dense]) {
      const missing = ids.filter((id) => !found.has(id));
      for (let at = 0; at < missing.length; at += FETCH_MAX) {
        const records = await this.#parts.engine
          .reader(index)
          .fetch(DEFAULT_NAMESPACE, missing.slice(at, at + FETCH_MAX));
        for (const { id, metadataJson } of records) found.set(id, storedChunk(parseMetadata(metadataJson)));
      }
    }
    return found;
  }

  /** Safe to repeat. What is found goes first, so that nothing is found without its text. */
  async removeRevision(revisionId: string): Promise<void> {
    const filter = oneOf([revisionId]);
    await this.#remove(this.#indexes.dense, filter);
    await this.#remove(this.#indexes.sparse, filter);
  }

  async #query(
    index: IndexProfile,
    vectors: Pick<QueryRequest, 'values' | 'sparse'>,
    { limit, revisions }: ChunkSearch,
  ): Promise<readonly ChunkHit[]> {
    return this.#parts.engine.reader(index).query({
      ...vectors,
      namespace: DEFAULT_NAMESPACE,
      topK: limit,
      filter: revisions,
      includeValues: false,
      includeMetadata: false,
    });
  }

  /** An index without records has no namespace: there is nothing to remove then. */
  async #remove(index: IndexProfile, filter: Filter): Promise<void> {
    try {
      await this.#parts.engine.writer(index).deleteByFilter(DEFAULT_NAMESPACE, filter);
    } catch (error) {
      if (!(error instanceof Fault) || error.condition !== 'namespace-not-found') throw error;
    }
  }
}

function oneOf(revisionIds: readonly string[]): Filter {
  return { kind: 'field', field: REVISION_FIELD, test: { op: 'in', values: revisionIds } };
}

/** Searches these revisions. */
export function onlyRevisions(revisionIds: readonly string[]): RevisionChoice {
  return oneOf(revisionIds);
}

/** Searches all revisions but these. */
export function allRevisionsBut(revisionIds: readonly string[]): RevisionChoice {
  return { kind: 'field', field: REVISION_FIELD, test: { op: 'notIn', values: revisionIds } };
}
