// Imports, one after another, each into a namespace of its own: an accepted import ends whole, also after crashes.
import assert from 'node:assert/strict';
import { Connection } from '../connection.ts';
import { jsonlBytes, parquetBytes, putFiles } from '../import-files.ts';
import type { Service } from '../service.ts';
import { until } from '../until.ts';
import { type Activity, untilGone } from './activity.ts';

const ROWS = 600;
const DIMENSION = 4;
const KEPT = 2;

interface Accepted {
  readonly id: string;
  readonly namespace: string;
  readonly at: bigint;
}

interface State {
  readonly status: string;
  readonly error: string;
}

export class Imports implements Activity {
  readonly name = 'imports';
  readonly #folder: string;
  readonly #accepted: Accepted[] = [];
  #deletedBefore = 0;
  #host = '';

  /** @param folder where files to import are put; the server must be allowed to read it */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get acknowledged(): number {
    return this.#accepted.length;
  }

  async prepare(service: Service): Promise<void> {
    this.#host = await service.createIndex({ name: 'imported', dimension: DIMENSION, metric: 'euclidean' });
  }

  work(): Promise<void> {
    const connection = new Connection(this.#host);
    return untilGone(async () => {
      const accepted = await this.#start(connection);
      await this.#verifyOne(connection, accepted);
      await this.#deleteOldest(connection);
    }).finally(() => connection.close());
  }

  async verify(at: bigint): Promise<void> {
    const connection = new Connection(this.#host);
    try {
      for (const accepted of this.#accepted.slice(this.#deletedBefore))
        if (accepted.at <= at) await this.#verifyOne(connection, accepted);
    } finally {
      connection.close();
    }
  }

  async #start(connection: Connection): Promise<Accepted> {
    const namespace = `n${this.#accepted.length}-${Date.now()}`;
    const rows = Array.from({ length: ROWS }, (_, i) => ({ id: `r${i}`, values: [i + 1, 1, -0.5, 2] }));
    putFiles(`${this.#folder}/${namespace}`, {
      [`${namespace}/a.parquet`]: parquetBytes(rows.slice(0, ROWS / 2), ['id', 'values']),
      [`${namespace}/b.jsonl`]: jsonlBytes(rows.slice(ROWS / 2)),
    });
    const uri = `file://${this.#folder}/${namespace}`;
    const { id } = await connection.post<{ readonly id: string }>('/bulk/imports', { uri });
    const accepted = { id, namespace, at: process.hrtime.bigint() };
    this.#accepted.push(accepted);
    return accepted;
  }

  /** Waits until it has ended. @throws AssertionError unless all its rows are there */
  async #verifyOne(connection: Connection, { id, namespace }: Accepted): Promise<void> {
    let state: State = { status: 'Pending', error: '' };
    await until(async () => {
      const { status, body, text } = await connection.call('GET', `/bulk/imports/${id}`);
      assert.equal(status, 200, text);
      state = body as State;
      return !['Pending', 'InProgress'].includes(state.status);
    }, `import ${id} to end`);
    assert.equal(state.status, 'Completed', state.error);
    const { namespaces } = await connection.post<{
      readonly namespaces: Readonly<Record<string, { readonly vectorCount: number }>>;
    }>('/describe_index_stats', {});
    assert.equal(namespaces[namespace]?.vectorCount, ROWS, `rows of import ${id}`);
  }

  /** The index does not grow. It is not compared once its deletion is requested. */
  async #deleteOldest(connection: Connection): Promise<void> {
    const oldest = this.#accepted[this.#accepted.length - KEPT - 1];
    if (oldest === undefined) return;
    this.#deletedBefore = this.#accepted.length - KEPT;
    await connection.post('/vectors/delete', { namespace: oldest.namespace, deleteAll: true });
  }
}
