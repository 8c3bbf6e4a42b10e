// Reads a collection of Chroma by version 2 of its HTTP interface, in pages by offset.
import { type JsonObject, membersOf } from '../../../domain/json.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { foreignClient, metricOf } from './foreign-client.ts';
import {
  type ForeignCollection,
  type ForeignPage,
  type ForeignSource,
  PAGE_RECORDS,
  type SourceOptions,
} from './port.ts';

const METRICS = { cosine: 'cosine', ip: 'dotproduct', l2: 'euclidean' } as const;

/** The document of a record, which has no name in Chroma. */
const TEXT_FIELD = 'document';

interface Reply {
  readonly ids: readonly string[];
  readonly embeddings?: readonly (readonly number[] | null)[] | null;
  readonly metadatas?: readonly (JsonObject | null)[] | null;
  readonly documents?: readonly (string | null)[] | null;
}

/** The path of the address may name tenant and database: `/TENANT/DATABASE`. */
export class ChromaSource implements ForeignSource {
  readonly #client: ApiClient;
  readonly #collections: string;
  readonly #name: string;
  #id = '';

  constructor(options: SourceOptions) {
    const { url, key, collection, tenant } = options;
    this.#client = foreignClient(options, key === null ? {} : { 'x-chroma-token': key });
    const [first, second] = url.pathname.split('/').filter((part) => part !== '');
    const owner = tenant === null ? (first ?? 'default_tenant') : encodeURIComponent(tenant);
    this.#collections = `/api/v2/tenants/${owner}/databases/${second ?? 'default_database'}/collections`;
    this.#name = collection;
  }

  async describe(): Promise<ForeignCollection> {
    const path = `${this.#collections}/${encodeURIComponent(this.#name)}`;
    const { id, dimension, configuration_json: configuration } = await this.#client.call('GET', path);
    this.#id = String(id);
    const { hnsw, spann } = membersOf(configuration);
    const { space } = membersOf(hnsw ?? spann);
    const records: unknown = await this.#client.call('GET', `${this.#collections}/${this.#id}/count`);
    return {
      dimension: Number(dimension),
      metric: metricOf(METRICS, space ?? 'l2'),
      records: Number(records),
    };
  }

  async page(cursor: string | null): Promise<ForeignPage> {
    const offset = Number(cursor ?? 0);
    const body = { limit: PAGE_RECORDS, offset, include: ['embeddings', 'metadatas', 'documents'] };
    const path = `${this.#collections}/${this.#id}/get`;
    const { ids, embeddings, metadatas, documents } = await this.#client.call<Reply>('POST', path, { body });
    const records = ids.map((id, at) => {
      const text = documents?.[at] ?? null;
      const metadata = metadatas?.[at] ?? {};
      const isTwice = text !== null && (metadata[TEXT_FIELD] ?? null) !== null;
      return {
        id,
        values: embeddings?.[at] ?? null,
        fields: text === null ? metadata : { ...metadata, [TEXT_FIELD]: text },
        leftOut: isTwice ? (['twice'] as const) : [],
      };
    });
    return { records, next: ids.length < PAGE_RECORDS ? null : String(offset + ids.length) };
  }

  async close(): Promise<void> {}
}
