// The chunks of one assistant in the engine: written by jobs, searched by questions, removed by revision.
import {
  type Assistant,
  chunkIndexes,
  REVISION_FIELD,
  TERMS_FIELD,
  TITLE_FIELD,
} from '../../../domain/assistants/assistant.ts';
import { textFieldsOf } from '../../../domain/document-schema.ts';
import { Fault } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { anyOf } from '../../../domain/full-text/query-parts.ts';
import { queryOfText } from '../../../domain/full-text/text-clause.ts';
import type { TextQuery } from '../../../domain/full-text/text-query.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { SparseEmbedding } from '../../../domain/inference/port.ts';
import { parseMetadata } from '../../../domain/records/metadata.ts';
import type { StorableRecord } from '../../../domain/records/record.ts';
import { packRecords } from '../../../engine/port/packed-records.ts';
import type { QueryRequest } from '../../../engine/port/reader-and-writer.ts';
import type { VectorStore } from '../../../engine/port/vector-store.ts';
import {
  type ChunkTerms,
  chunkId,
  chunkMetadata,
  revisionOnly,
  type StoredChunk,
  storedChunk,
} from './chunk-record.ts';

/** Chunks of one fetch. */
const FETCH_MAX = 100;
const DEFAULT_NAMESPACE = '';
/** What a term weighs in the name of a file or a heading, beside the text itself. */
const TITLE_BOOST = 0.3;

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

/** A chunk with what searches find it by. */
export interface WritableChunk {
  readonly chunk: StoredChunk;
  readonly dense: Float32Array;
  /** Terms exactly where the assistant has them. */
  readonly words: ChunkTerms | SparseEmbedding;
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
  async write(chunks: readonly WritableChunk[]): Promise<void> {
    const { dense, sparse } = this.#indexes;
    // Text is kept beside the words, the smaller record to read; beside the dense vector where there are none.
    const denseRecords = chunks.map(
      ({ chunk, dense: values, words }): StorableRecord => ({
        id: chunkId(chunk),
        values,
        sparse: null,
        metadataJson: isSearchable(words) ? revisionOnly(chunk) : chunkMetadata(chunk),
      }),
    );
    const wordRecords = chunks.filter(({ words }) => isSearchable(words)).map(wordRecord);
    // What is found has its text: that goes first.
    if (wordRecords.length > 0) {
      await this.#parts.engine.copies(sparse).write(DEFAULT_NAMESPACE, packRecords(wordRecords, null));
    }
    await this.#parts.engine
      .copies(dense)
      .write(DEFAULT_NAMESPACE, packRecords(denseRecords, dense.dimension));
  }

  /** Best first. */
  byMeaning(values: Float32Array, search: ChunkSearch): Promise<readonly ChunkHit[]> {
    return this.#query(this.#indexes.dense, { values, sparse: null }, search);
  }

  /** Best first, by BM25 over all chunks. @param terms of the question, each once */
  async byTerms(terms: readonly string[], search: ChunkSearch): Promise<readonly ChunkHit[]> {
    const { documents } = this.#indexes.sparse;
    if (documents === null || terms.length === 0) return [];
    const analyses = textFieldsOf(documents);
    const queries = [TERMS_FIELD, TITLE_FIELD].map((field): TextQuery => {
      const analysis = analyses.get(field);
      const query = queryOfText(terms.join(' '), new Map(analysis === undefined ? [] : [[field, analysis]]));
      return field === TITLE_FIELD ? { kind: 'boost', factor: TITLE_BOOST, query } : query;
    });
    const text = anyOf(queries);
    return this.#query(this.#indexes.sparse, { values: null, sparse: null, text }, search);
  }

  /** Best first: chunks whose text has the terms one after the other. @param terms at least two */
  async byPhrase(terms: readonly string[], search: ChunkSearch): Promise<readonly ChunkHit[]> {
    if (this.#indexes.sparse.documents === null) return [];
    const text: TextQuery = {
      kind: 'phrase',
      field: TERMS_FIELD,
      terms: terms.map((term, position) => ({ term, position })),
      slop: 0,
    };
    return this.#query(this.#indexes.sparse, { values: null, sparse: null, text }, search);
  }

  /** Best first, by sparse vectors, which assistants of earlier releases have. */
  async byWords(sparse: SparseEmbedding, search: ChunkSearch): Promise<readonly ChunkHit[]> {
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

  /** Whether anything of a revision was written: every run begins with its first chunk. @throws overloaded */
  async hasBegun(revisionId: string): Promise<boolean> {
    const first = [chunkId({ revisionId, number: 0 })];
    for (const index of [this.#indexes.sparse, this.#indexes.dense]) {
      const records = await this.#parts.engine.reader(index).fetch(DEFAULT_NAMESPACE, first);
      if (records.length > 0) return true;
    }
    return false;
  }

  /** Safe to repeat. What is found goes first, so that nothing is found without its text. */
  async removeRevision(revisionId: string): Promise<void> {
    const filter = oneOf([revisionId]);
    await this.#remove(this.#indexes.dense, filter);
    await this.#remove(this.#indexes.sparse, filter);
  }

  async #query(
    index: IndexProfile,
    vectors: Pick<QueryRequest, 'values' | 'sparse' | 'text'>,
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

function wordRecord({ chunk, words }: WritableChunk): StorableRecord {
  const record = { id: chunkId(chunk), values: null };
  return 'terms' in words
    ? { ...record, sparse: null, metadataJson: chunkMetadata(chunk, words) }
    : { ...record, sparse: words, metadataJson: chunkMetadata(chunk) };
}

function isSearchable(words: WritableChunk['words']): boolean {
  return 'terms' in words || words.indices.length > 0;
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
