// One namespace under soak: random writes and, in between, reads of every kind, each held against what was written.
import assert from 'node:assert/strict';
import { BigWriter, type BigWriterOptions, randomSparse } from './big-writer.ts';
import { Connection, Refused } from './connection.ts';
import { everything } from './everything.ts';
import type { Match, Metric, ModelRecord } from './model.ts';
import { Recall } from './recall.ts';

export interface SoakSpaceOptions extends BigWriterOptions {
  readonly host: string;
  readonly metric: Metric;
}

/** `slice` is below it for so many of a thousand records; 1000: no filter. */
const SLICES = [1_000, 1_000, 900, 500, 100, 10, 1];
const TOP_KS = [1, 10, 10, 100];

export class SoakSpace {
  readonly recall = new Recall();
  readonly #options: SoakSpaceOptions;
  readonly #writer: BigWriter;

  constructor(options: SoakSpaceOptions) {
    this.#options = options;
    this.#writer = new BigWriter(options);
  }

  get acknowledged(): number {
    return this.#writer.acknowledged;
  }

  async fill(): Promise<void> {
    await this.#connected((connection) => this.#writer.fill(connection));
  }

  /** Writes and reads until `isOver` or the server is gone. */
  async run(isOver: () => boolean): Promise<void> {
    const { random } = this.#options;
    await this.#connected(async (connection) => {
      while (!isOver()) {
        await this.#writer.write(connection);
        const choice = random.below(8);
        if (choice === 0) await this.#checkFetches(connection);
        else if (choice < 4) await this.#checkQuery(connection);
      }
    }).catch((error: unknown) => {
      if (error instanceof Refused || error instanceof assert.AssertionError) throw error;
    });
  }

  /** Everything is as it was acknowledged: records, their number, and what the server says of it. */
  async compare(): Promise<void> {
    const { namespace } = this.#options;
    await this.#connected(async (connection) => {
      this.#writer.recover(await everything(connection, namespace));
      const stats = await connection.post<Stats>('/describe_index_stats', {});
      assert.equal(
        stats.namespaces[namespace]?.vectorCount ?? 0,
        this.#writer.records.size,
        'records counted',
      );
      for (let i = 0; i < 4; i++) await this.#checkQuery(connection);
      await this.#checkFetches(connection);
    });
  }

  async #checkQuery(connection: Connection): Promise<void> {
    const { namespace, metric, random, values, hasSparse = false } = this.#options;
    const { records } = this.#writer;
    const slices = random.pick(SLICES);
    const topK = random.pick(TOP_KS);
    const vector = values?.() ?? [];
    const sparse = values === null || (hasSparse && random.below(2) === 0) ? randomSparse(random) : undefined;
    const matches: readonly Match[] = await connection.query({
      namespace,
      topK,
      ...(vector.length > 0 && { vector }),
      ...(sparse && { sparseVector: sparse }),
      ...(slices < 1_000 && { filter: { slice: { $lt: slices } } }),
    });
    const isShared = ({ sparseValues }: ModelRecord) =>
      vector.length > 0 || (sparseValues?.indices.some((index) => sparse?.indices.includes(index)) ?? false);
    const where = (record: ModelRecord) => Number(record.metadata?.slice) < slices && isShared(record);
    this.recall.count(matches, records, { metric, vector, sparse, topK, where });
  }

  /** By id, by metadata and by prefix. */
  async #checkFetches(connection: Connection): Promise<void> {
    const { namespace, random, name } = this.#options;
    const { records } = this.#writer;
    const bound = 5 + random.below(20);
    const filter = { slice: { $lt: bound } };
    const { vectors } = await connection.post<Fetched>('/vectors/fetch_by_metadata', {
      namespace,
      filter,
      limit: 10_000,
    });
    const wanted = [...records.values()]
      .filter(({ metadata }) => Number(metadata?.slice) < bound)
      .map(({ id }) => id);
    assert.deepEqual(Object.keys(vectors).sort(), wanted.sort(), 'records fetched by metadata');
    const ids = Array.from({ length: 20 }, () => `${name}-${random.below(this.#options.ids)}`);
    const fetched = await connection.fetch(namespace, ids);
    assert.deepEqual(
      [...fetched.keys()].sort(),
      [...new Set(ids)].filter((id) => records.has(id)).sort(),
      'records fetched',
    );
  }

  async #connected(work: (connection: Connection) => Promise<void>): Promise<void> {
    const connection = new Connection(this.#options.host);
    try {
      await work(connection);
    } finally {
      connection.close();
    }
  }
}

interface Stats {
  readonly namespaces: Readonly<Record<string, { readonly vectorCount: number }>>;
}

interface Fetched {
  readonly vectors: Readonly<Record<string, unknown>>;
}
