// The chunks of one assistant in the engine: written by jobs, searched by questions, removed by revision.
import { Buffer } from 'node:buffer';
import type { ProjectAccess } from '../../domain/access.ts';
import { type Assistant, chunkIndexes, REVISION_FIELD } from '../../domain/assistants/assistant.ts';
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { QueryValues } from '../../domain/query-values.ts';
import type { StorableRecord } from '../../domain/records/record.ts';
import type { EngineCall, VectorEngine } from '../../vectors/engine.ts';
import type { IndexCopies } from '../../vectors/index-copies.ts';
import { packRecords } from '../../vectors/packed-records.ts';
import { chunkId, chunkMetadata, type StoredChunk, storedChunk } from './chunk-record.ts';
import type { EmbeddedText } from './embed-texts.ts';

const OK = 200;
const NOT_FOUND = 404;
const TOO_MANY = 429;
const RETRY_SECONDS = 1;
/** Chunks of one fetch. */
const FETCH_MAX = 100;

export type ChunkEngine = Pick<VectorEngine, 'run' | 'createIndex' | 'dropIndex'> &
  Pick<IndexCopies, 'writeRecords'>;

export interface ChunkStoreParts {
  readonly engine: ChunkEngine;
  /** In whose name chunks are read and removed. */
  readonly accessTo: (owner: { readonly projectId: string }) => ProjectAccess;
}

/** Which revisions are searched. Null: all. */
export type RevisionChoice =
  | { readonly $in: readonly string[] }
  | { readonly $nin: readonly string[] }
  | null;

export interface ChunkSearch {
  readonly limit: number;
  readonly revisions: RevisionChoice;
}

export interface ChunkHit {
  readonly id: string;
  readonly score: number;
  /** Only dense hits carry their chunk. */
  readonly chunk: StoredChunk | null;
}

interface MatchText {
  readonly id: string;
  readonly score: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
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
      const { revisionId } = chunk;
      return { id: chunkId(chunk), text, revisionId, metadataJson: chunkMetadata(chunk) };
    });
    const denseRecords = records.map(
      ({ id, text, metadataJson }): StorableRecord => ({
        id,
        values: text.dense.values,
        sparse: null,
        metadataJson,
      }),
    );
    await this.#parts.engine.writeRecords(dense, '', packRecords(denseRecords, dense.dimension));
    const sparseRecords = records
      // A text without words is found by no word.
      .filter(({ text }) => text.sparse.indices.length > 0)
      .map(({ id, text, revisionId }) => ({
        id,
        values: null,
        sparse: text.sparse,
        metadataJson: JSON.stringify({ [REVISION_FIELD]: revisionId }),
      }));
    if (sparseRecords.length === 0) return;
    await this.#parts.engine.writeRecords(sparse, '', packRecords(sparseRecords, null));
  }

  /** Best first. */
  async byMeaning(values: Float32Array, { limit, revisions }: ChunkSearch): Promise<readonly ChunkHit[]> {
    const matches = await this.#query(this.#indexes.dense, {
      vector: Array.from(values),
      topK: limit,
      includeMetadata: true,
      ...filterOf(revisions),
    });
    return matches.map(({ id, score, metadata }) => ({ id, score, chunk: storedChunk(metadata ?? {}) }));
  }

  /** Best first. */
  async byWords(sparse: EmbeddedText['sparse'], search: ChunkSearch): Promise<readonly ChunkHit[]> {
    if (sparse.indices.length === 0) return [];
    const { indices, values } = sparse;
    const matches = await this.#query(this.#indexes.sparse, {
      sparseVector: { indices: Array.from(indices), values: Array.from(values) },
      topK: search.limit,
      ...filterOf(search.revisions),
    });
    return matches.map(({ id, score }) => ({ id, score, chunk: null }));
  }

  /** By id; those that are gone are left out. */
  async fetch(ids: readonly string[]): Promise<ReadonlyMap<string, StoredChunk>> {
    const found = new Map<string, StoredChunk>();
    for (let at = 0; at < ids.length; at += FETCH_MAX) {
      const query = { ids: ids.slice(at, at + FETCH_MAX) };
      const reply = await this.#run('fetch_vectors', this.#indexes.dense, { query });
      const { vectors } = reply as { readonly vectors: Readonly<Record<string, MatchText>> };
      for (const [id, { metadata }] of Object.entries(vectors)) found.set(id, storedChunk(metadata ?? {}));
    }
    return found;
  }

  /** Safe to repeat. */
  async removeRevision(revisionId: string): Promise<void> {
    const body = { filter: { [REVISION_FIELD]: { $eq: revisionId } } };
    await this.#run('delete_vectors', this.#indexes.dense, { body });
    await this.#run('delete_vectors', this.#indexes.sparse, { body });
  }

  async #query(index: IndexProfile, body: object): Promise<readonly MatchText[]> {
    const reply = await this.#run('query_vectors', index, { body });
    return (reply as { readonly matches?: readonly MatchText[] }).matches ?? [];
  }

  /** What is not there is empty: an index has no namespace before its first record. */
  async #run(
    endpointId: string,
    index: IndexProfile,
    { query = {}, body }: { readonly query?: QueryValues; readonly body?: object },
  ): Promise<unknown> {
    const call: EngineCall = {
      endpointId,
      access: this.#parts.accessTo(index),
      version: null,
      index,
      params: {},
      query,
      body: body === undefined ? [] : [Buffer.from(JSON.stringify(body))],
      requestId: `assistant-${index.id}`,
    };
    const reply = await this.#parts.engine.run(call);
    if (reply.status === NOT_FOUND) return {};
    if (reply.status === TOO_MANY) throw fault('overloaded', { seconds: RETRY_SECONDS });
    const text = Buffer.from(reply.body).toString();
    if (reply.status !== OK)
      throw new Error(`${endpointId} of an assistant was answered ${reply.status} ${text}`);
    return JSON.parse(text);
  }
}

function filterOf(revisions: RevisionChoice): object {
  return revisions === null ? {} : { filter: { [REVISION_FIELD]: revisions } };
}
