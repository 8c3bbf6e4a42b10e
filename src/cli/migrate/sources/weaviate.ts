// Reads a class of Weaviate: objects after an id, as its cursor interface lists them.
import { isJsonObject, type JsonObject, membersOf } from '../../../domain/json.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { CliProblem } from '../../command.ts';
import { bearer, chosenName, foreignClient, metricOf } from './foreign-client.ts';
import {
  type ForeignCollection,
  type ForeignPage,
  type ForeignSource,
  PAGE_RECORDS,
  type SourceOptions,
} from './port.ts';

const METRICS = { cosine: 'cosine', dot: 'dotproduct', 'l2-squared': 'euclidean' } as const;
/** Less than every id. */
const START = '00000000-0000-0000-0000-000000000000';

export class WeaviateSource implements ForeignSource {
  readonly #client: ApiClient;
  readonly #options: SourceOptions;
  /** Null where the vector has no name. */
  #vector: string | null = null;

  /** @throws CliProblem for a name that no class has */
  constructor(options: SourceOptions) {
    if (!/^[A-Z]\w*$/.test(options.collection))
      throw new CliProblem(`${options.collection} is not the name of a Weaviate class.`);
    this.#client = foreignClient(options, bearer(options.key));
    this.#options = options;
  }

  async describe(): Promise<ForeignCollection> {
    const { collection } = this.#options;
    const schema = await this.#client.call('GET', `/v1/schema/${collection}`);
    const named = membersOf(schema.vectorConfig);
    if (Object.keys(named).length > 0)
      this.#vector = chosenName(Object.keys(named), this.#options.vector, 'named vector');
    const { vectorIndexConfig } = this.#vector === null ? schema : membersOf(named[this.#vector]);
    const { distance } = membersOf(vectorIndexConfig);
    const { records: some } = await this.page(null);
    const dimension = some.find(({ values }) => values !== null)?.values?.length;
    if (dimension === undefined) throw new CliProblem(`No object of ${collection} has a vector.`);
    return { dimension, metric: metricOf(METRICS, distance ?? 'cosine'), records: await this.#count() };
  }

  async #count(): Promise<number> {
    const { collection, tenant } = this.#options;
    const of = tenant === null ? '' : `(tenant: ${JSON.stringify(tenant)})`;
    const query = `{ Aggregate { ${collection}${of} { meta { count } } } }`;
    const { data, errors } = await this.#client.call('POST', '/v1/graphql', { body: { query } });
    const counts = membersOf(membersOf(data).Aggregate)[collection];
    if (!Array.isArray(counts)) throw new CliProblem(`The source cannot count: ${JSON.stringify(errors)}.`);
    return Number(membersOf(membersOf(counts[0]).meta).count);
  }

  async page(cursor: string | null): Promise<ForeignPage> {
    const { collection, tenant } = this.#options;
    const query = new URLSearchParams({
      class: collection,
      limit: String(PAGE_RECORDS),
      after: cursor ?? START,
      include: 'vector',
      ...(tenant === null ? {} : { tenant }),
    });
    const { objects } = await this.#client.call('GET', `/v1/objects?${query}`);
    const found = (Array.isArray(objects) ? objects : []).filter(isJsonObject);
    const next = found.length < PAGE_RECORDS ? null : String(found.at(-1)?.id);
    return { records: found.map((object) => this.#recordOf(object)), next };
  }

  #recordOf({ id, properties, vector, vectors }: JsonObject) {
    const values = this.#vector === null ? vector : membersOf(vectors)[this.#vector];
    return {
      id: String(id),
      values: Array.isArray(values) && values.length > 0 ? values : null,
      fields: membersOf(properties),
    };
  }

  async close(): Promise<void> {}
}
