// Reads a collection of Milvus by version 2 of its HTTP interface: entities after a primary key.
import { isJsonObject, type JsonObject, membersOf } from '../../../domain/json.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { CliProblem } from '../../command.ts';
import type { WireSparse } from '../wire-record.ts';
import { bearer, chosenName, foreignClient, metricOf, onlySparse } from './foreign-client.ts';
import {
  type ForeignCollection,
  type ForeignPage,
  type ForeignRecord,
  type ForeignSource,
  PAGE_RECORDS,
  type SourceOptions,
} from './port.ts';

const METRICS = { cosine: 'cosine', ip: 'dotproduct', l2: 'euclidean' } as const;
const SPARSE_TYPE = 'SparseFloatVector';
const DENSE_TYPES = ['FloatVector', 'Float16Vector', 'BFloat16Vector'];
const COUNT = 'count(*)';

/** The path of the address may name the database: `/DATABASE`. */
export class MilvusSource implements ForeignSource {
  readonly #client: ApiClient;
  readonly #options: SourceOptions;
  #vector = '';
  /** The types of the vector fields by their names. */
  #vectorFields: ReadonlyMap<string, string> = new Map();
  #id = '';
  #isTextId = false;

  constructor(options: SourceOptions) {
    // Otherwise whole numbers beyond 2^53 arrive rounded.
    this.#client = foreignClient(options, { ...bearer(options.key), 'accept-type-allow-int64': 'true' });
    this.#options = options;
  }

  async describe(): Promise<ForeignCollection> {
    const details = membersOf(await this.#call('/collections/describe', {}));
    const fields = listOf(details.fields);
    const key = fields.find(({ primaryKey }) => primaryKey === true);
    if (key === undefined) throw new CliProblem('The source has no primary key.');
    this.#id = String(key.name);
    this.#isTextId = String(key.type) === 'VarChar';
    const dense = fields.filter(({ type }) => DENSE_TYPES.includes(String(type)));
    const typed = fields.map(({ name, type }) => [String(name), String(type)] as const);
    this.#vectorFields = new Map(typed.filter(([, type]) => type.endsWith('Vector')));
    const names = dense.map(({ name }) => String(name));
    this.#vector = chosenName(names, this.#options.vector, 'vector field');
    const { params } = dense.find(({ name }) => name === this.#vector) ?? {};
    const index = listOf(details.indexes).find(({ fieldName }) => fieldName === this.#vector);
    const [counted] = listOf(await this.#call('/entities/query', { filter: '', outputFields: [COUNT] }));
    return {
      dimension: Number(listOf(params).find(({ key: name }) => name === 'dim')?.value),
      metric: metricOf(METRICS, index?.metricType ?? 'cosine'),
      records: Number(counted?.[COUNT]),
    };
  }

  async page(cursor: string | null): Promise<ForeignPage> {
    const after = this.#isTextId ? JSON.stringify(cursor) : cursor;
    const found = listOf(
      await this.#call('/entities/query', {
        filter: cursor === null ? this.#everything() : `${this.#id} > ${after}`,
        limit: PAGE_RECORDS,
        outputFields: ['*'],
      }),
    );
    const records = found.map((entity) => this.#recordOf(entity));
    return { records, next: records.length < PAGE_RECORDS ? null : this.#largest(records) };
  }

  #everything(): string {
    return this.#isTextId ? `${this.#id} >= ""` : `${this.#id} >= -9223372036854775807`;
  }

  #largest(records: readonly ForeignRecord[]): string {
    const ids = records.map(({ id }) => id);
    const isMore = (a: string, b: string) =>
      this.#isTextId ? Buffer.compare(Buffer.from(a), Buffer.from(b)) > 0 : BigInt(a) > BigInt(b);
    return ids.reduce((largest, id) => (isMore(id, largest) ? id : largest));
  }

  #recordOf(entity: JsonObject): ForeignRecord {
    const { [this.#id]: id, [this.#vector]: values } = entity;
    const left = ([name]: readonly [string, unknown]) => name !== this.#id && !this.#vectorFields.has(name);
    const vectors = [...this.#vectorFields];
    const sparse = vectors.flatMap(([name, type]) => (type === SPARSE_TYPE ? [sparseOf(entity[name])] : []));
    // Of several dense ones, --vector has chosen; no one can choose these.
    const others = vectors.filter(([name, type]) => isOther(type) && (entity[name] ?? null) !== null);
    const { leftOut = [], ...only } = onlySparse(sparse);
    return {
      id: String(id),
      values: Array.isArray(values) ? values : null,
      ...only,
      fields: Object.fromEntries(Object.entries(entity).filter(left)),
      leftOut: [...leftOut, ...others.map(() => 'vectors' as const)],
    };
  }

  async #call(path: string, details: JsonObject): Promise<unknown> {
    const { collection, url } = this.#options;
    const dbName = url.pathname.replaceAll('/', '') || 'default';
    const body = { dbName, collectionName: collection, ...details };
    const { code, data, message } = await this.#client.call('POST', `/v2/vectordb${path}`, { body });
    if (code !== 0 && code !== 200) throw new CliProblem(`The source refuses: ${message}.`);
    return data;
  }

  async close(): Promise<void> {}
}

function isOther(type: string): boolean {
  return type !== SPARSE_TYPE && !DENSE_TYPES.includes(type);
}

/** From its lists, or from its values by their indices. */
function sparseOf(value: unknown): WireSparse | null {
  const { indices, values, ...others } = membersOf(value);
  if (Array.isArray(indices) && Array.isArray(values)) return { indices, values };
  const entries = Object.entries(others);
  return entries.length === 0
    ? null
    : { indices: entries.map(([index]) => Number(index)), values: entries.map(([, each]) => Number(each)) };
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
