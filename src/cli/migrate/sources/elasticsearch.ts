// Reads an index of Elasticsearch or OpenSearch: one point in time, paged by what the last hit was sorted by.
import { isJsonObject, type JsonObject, membersOf } from '../../../domain/json.ts';
import { type ApiClient, Refusal } from '../../client/api-client.ts';
import { CliProblem } from '../../command.ts';
import { chosenName, foreignClient, metricOf } from './foreign-client.ts';
import {
  type ForeignCollection,
  type ForeignPage,
  type ForeignRecord,
  type ForeignSource,
  PAGE_RECORDS,
  type SourceOptions,
} from './port.ts';

const METRICS = {
  cosine: 'cosine',
  cosinesimil: 'cosine',
  dot_product: 'dotproduct',
  max_inner_product: 'dotproduct',
  innerproduct: 'dotproduct',
  l2_norm: 'euclidean',
  l2: 'euclidean',
} as const;
const VECTOR_TYPES = ['dense_vector', 'knn_vector'];
/** An interrupted migration may resume for this long. */
const KEEP_ALIVE = '1h';

/** How the two name the same things. */
export const DIALECTS = {
  elasticsearch: { open: '_pit', id: 'id', order: '_shard_doc' },
  opensearch: { open: '_search/point_in_time', id: 'pit_id', order: '_id' },
} as const;

interface Cursor {
  readonly pit: string;
  readonly after: unknown;
}

export class ElasticsearchSource implements ForeignSource {
  readonly #client: ApiClient;
  readonly #index: string;
  readonly #wanted: string | null;
  readonly #dialect: (typeof DIALECTS)[keyof typeof DIALECTS];
  #vector = '';

  /** The key is an API key, or `USER:PASSWORD`. */
  constructor(options: SourceOptions, dialect: keyof typeof DIALECTS) {
    this.#client = foreignClient(options, credentials(options.key));
    this.#index = `/${encodeURIComponent(options.collection)}`;
    this.#wanted = options.vector;
    this.#dialect = DIALECTS[dialect];
  }

  async describe(): Promise<ForeignCollection> {
    const reply = await this.#client.call('GET', `${this.#index}/_mapping`);
    const [details] = Object.values(reply);
    const fields = vectorFields(membersOf(membersOf(membersOf(details).mappings).properties), '');
    this.#vector = chosenName([...fields.keys()], this.#wanted, 'vector field');
    const { dims, dimension, similarity, space_type: space, method } = fields.get(this.#vector) ?? {};
    const { count } = await this.#client.call('GET', `${this.#index}/_count`);
    return {
      dimension: Number(dims ?? dimension),
      metric: metricOf(METRICS, similarity ?? space ?? membersOf(method).space_type ?? this.#preset(dims)),
      records: Number(count),
    };
  }

  /** Elasticsearch compares by cosine unless told otherwise, OpenSearch by distance. */
  #preset(dims: unknown): string {
    return dims === undefined ? 'l2' : 'cosine';
  }

  async page(cursor: string | null): Promise<ForeignPage> {
    const at: Cursor = cursor === null ? { pit: await this.#open(), after: null } : JSON.parse(cursor);
    const body = {
      size: PAGE_RECORDS,
      query: { match_all: {} },
      pit: { id: at.pit, keep_alive: KEEP_ALIVE },
      sort: [{ [this.#dialect.order]: 'asc' }],
      // Newer versions leave vectors out of the source.
      ...(this.#dialect === DIALECTS.elasticsearch ? { fields: [this.#vector] } : {}),
      ...(at.after === null ? {} : { search_after: at.after }),
    };
    const reply = await this.#client.call('POST', '/_search', { body }).catch((error: unknown) => {
      if (cursor === null || !(error instanceof Refusal) || error.status !== 404) throw error;
      throw new CliProblem(
        'The point in time of the source has expired: remove the state file and begin again.',
      );
    });
    const { hits } = membersOf(reply.hits);
    const found = (Array.isArray(hits) ? hits : []).filter(isJsonObject);
    const pit = String(reply.pit_id ?? at.pit);
    const next = found.length < PAGE_RECORDS ? null : JSON.stringify({ pit, after: found.at(-1)?.sort });
    return { records: found.map((hit) => this.#recordOf(hit)), next };
  }

  async #open(): Promise<string> {
    const path = `${this.#index}/${this.#dialect.open}?keep_alive=${KEEP_ALIVE}`;
    const reply = await this.#client.call('POST', path);
    return String(reply[this.#dialect.id]);
  }

  #recordOf({ _id, _source, fields }: JsonObject): ForeignRecord {
    const { rest, value } = without(membersOf(_source), this.#vector.split('.'));
    const values = value ?? membersOf(fields)[this.#vector];
    return { id: String(_id), values: Array.isArray(values) ? values : null, fields: rest };
  }

  async close(): Promise<void> {}
}

function credentials(key: string | null): Readonly<Record<string, string>> {
  if (key === null) return {};
  const isLogin = key.includes(':');
  return { authorization: isLogin ? `Basic ${Buffer.from(key).toString('base64')}` : `ApiKey ${key}` };
}

/** The mappings of vector fields by their dotted names. */
function vectorFields(properties: JsonObject, prefix: string): ReadonlyMap<string, JsonObject> {
  return new Map(
    Object.entries(properties).flatMap(([name, mapping]): (readonly [string, JsonObject])[] => {
      const details = membersOf(mapping);
      if (VECTOR_TYPES.includes(String(details.type))) return [[`${prefix}${name}`, details]];
      return [...vectorFields(membersOf(details.properties), `${prefix}${name}.`)];
    }),
  );
}

/** The object without the value at a path, and that value. */
function without(
  object: JsonObject,
  [name = '', ...path]: readonly string[],
): { readonly rest: JsonObject; readonly value: unknown } {
  const { [name]: inner, ...rest } = object;
  if (path.length === 0) return { rest, value: inner };
  if (!isJsonObject(inner)) return { rest: object, value: undefined };
  const found = without(inner, path);
  // An object of the vector alone leaves nothing behind.
  const left = Object.keys(found.rest).length === 0 ? {} : { [name]: found.rest };
  return { rest: { ...rest, ...left }, value: found.value };
}
