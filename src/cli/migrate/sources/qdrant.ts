// Reads a collection of Qdrant: points by scrolling, whose offset is the id of the next point.
import { isJsonObject, type JsonObject, membersOf } from '../../../domain/json.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { chosenName, foreignClient, metricOf, onlySparse } from './foreign-client.ts';
import {
  type ForeignCollection,
  type ForeignPage,
  type ForeignRecord,
  type ForeignSource,
  PAGE_RECORDS,
  type SourceOptions,
} from './port.ts';

const METRICS = { cosine: 'cosine', dot: 'dotproduct', euclid: 'euclidean' } as const;

export class QdrantSource implements ForeignSource {
  readonly #client: ApiClient;
  readonly #path: string;
  readonly #wanted: string | null;
  /** Null where the vector has no name. */
  #vector: string | null = null;
  /** Names of the sparse vectors. */
  #sparse: readonly string[] = [];

  constructor(options: SourceOptions) {
    this.#client = foreignClient(options, options.key === null ? {} : { 'api-key': options.key });
    this.#path = `/collections/${encodeURIComponent(options.collection)}`;
    this.#wanted = options.vector;
  }

  async describe(): Promise<ForeignCollection> {
    const { result } = await this.#client.call('GET', this.#path);
    const { vectors, sparse_vectors: sparse } = membersOf(membersOf(membersOf(result).config).params);
    this.#sparse = Object.keys(membersOf(sparse));
    const { size, distance } = this.#describedVector(membersOf(vectors));
    const counted = await this.#client.call('POST', `${this.#path}/points/count`, { body: { exact: true } });
    const records = Number(membersOf(counted.result).count);
    return { dimension: Number(size), metric: metricOf(METRICS, distance), records };
  }

  #describedVector(vectors: JsonObject): JsonObject {
    if (typeof vectors.size === 'number') return vectors;
    this.#vector = chosenName(Object.keys(vectors), this.#wanted, 'named vector');
    return membersOf(vectors[this.#vector]);
  }

  async page(cursor: string | null): Promise<ForeignPage> {
    const body = {
      limit: PAGE_RECORDS,
      with_payload: true,
      with_vector: this.#vector === null ? true : [this.#vector, ...this.#sparse],
      // Ids are UUIDs or whole numbers, which may be larger than JavaScript's.
      ...(cursor === null ? {} : { offset: /^\d+$/.test(cursor) ? rawNumber(cursor) : cursor }),
    };
    const { result } = await this.#client.call('POST', `${this.#path}/points/scroll`, { body });
    const { points = [], next_page_offset: next } = membersOf(result);
    return {
      records: (points as readonly JsonObject[]).map((point) => this.#recordOf(point)),
      next: next === null || next === undefined ? null : String(next),
    };
  }

  #recordOf({ id, payload, vector }: JsonObject): ForeignRecord {
    const named = isJsonObject(vector) ? vector : {};
    const dense = this.#vector === null ? (Array.isArray(vector) ? vector : named['']) : named[this.#vector];
    const sparse = this.#sparse.map((name) => {
      const { indices, values } = membersOf(named[name]);
      return Array.isArray(indices) && Array.isArray(values) ? { indices, values } : null;
    });
    return {
      id: String(id),
      values: Array.isArray(dense) ? dense : null,
      ...onlySparse(sparse),
      fields: membersOf(payload),
    };
  }

  async close(): Promise<void> {}
}

function rawNumber(digits: string): unknown {
  const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };
  return rawJSON(digits);
}
