// The chunks of one assistant in the engine: written by jobs, searched by questions, removed by revision.
import { Buffer } from 'node:buffer';
import type { ProjectAccess } from '../../../domain/access.ts';
import { type Assistant, chunkIndexes, REVISION_FIELD } from '../../../domain/assistants/assistant.ts';
import { fault } from '../../../domain/faults.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { QueryValues } from '../../../domain/query-values.ts';
import type { StorableRecord } from '../../../domain/records/record.ts';
import type { EngineCall, VectorEngine } from '../../../engine/port/engine.ts';
import type { IndexCopies } from '../../../engine/port/index-copies.ts';
import { packRecords } from '../../../engine/port/packed-records.ts';
import type { EmbeddedText } from '../text-embedder.ts';
import { chunkId, chunkMetadata, revisionOnly, type StoredChunk, storedChunk } from './chunk-record.ts';

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
}

interface FetchReply {
  readonly vectors?: Readonly<Record<string, { readonly metadata: object }>>;
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
      await this.#parts.engine.writeRecords(sparse, '', packRecords(sparseRecords, null));
    }
    await this.#parts.engine.writeRecords(dense, '', packRecords(denseRecords, dense.dimension));
  }

  /** Best first. */
  byMeaning(values: Float32Array, search: ChunkSearch): Promise<readonly ChunkHit[]> {
    return this.#query(this.#indexes.dense, { vector: Array.from(values) }, search);
  }

  /** Best first. */
  async byWords(sparse: EmbeddedText['sparse'], search: ChunkSearch): Promise<readonly ChunkHit[]> {
    if (sparse.indices.length === 0) return [];
    const sparseVector = { indices: Array.from(sparse.indices), values: Array.from(sparse.values) };
    return this.#query(this.#indexes.sparse, { sparseVector }, search);
  }

  /** By id; those that are gone are left out. */
  async fetch(ids: readonly string[]): Promise<ReadonlyMap<string, StoredChunk>> {
    const found = new Map<string, StoredChunk>();
    for (const index of [this.#indexes.sparse, this.#indexes.dense]) {
      const missing = ids.filter((id) => !found.has(id));
      for (let at = 0; at < missing.length; at += FETCH_MAX) {
        const query = { ids: missing.slice(at, at + FETCH_MAX), without_values: 'true' };
        const { vectors = {} } = (await this.#run('fetch_vectors', index, { query })) as FetchReply;
        for (const [id, { metadata }] of Object.entries(vectors)) found.set(id, storedChunk(metadata));
      }
    }
    return found;
  }

  /** Safe to repeat. What is found goes first, so that nothing is found without its text. */
  async removeRevision(revisionId: string): Promise<void> {
    const body = { filter: { [REVISION_FIELD]: { $eq: revisionId } } };
    await this.#run('delete_vectors', this.#indexes.dense, { body });
    await this.#run('delete_vectors', this.#indexes.sparse, { body });
  }

  async #query(
    index: IndexProfile,
    vector: object,
    { limit, revisions }: ChunkSearch,
  ): Promise<readonly ChunkHit[]> {
    const filter = revisions === null ? {} : { filter: { [REVISION_FIELD]: revisions } };
    const body = { ...vector, ...filter, topK: limit };
    const reply = await this.#run('query_vectors', index, { body });
    return (reply as { readonly matches?: readonly ChunkHit[] }).matches ?? [];
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
