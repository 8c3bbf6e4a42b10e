// Groups of records that are always written and deleted together: after a crash, each is whole, of one version.
import assert from 'node:assert/strict';
import { Connection } from '../connection.ts';
import { everything } from '../everything.ts';
import type { ModelRecord } from '../model.ts';
import type { Random } from '../random.ts';
import type { Service } from '../service.ts';
import { type Activity, untilGone } from './activity.ts';
import { ABSENT, History } from './history.ts';

const GROUPS = 12;
const IDS_A_GROUP = 25;
const DIMENSION = 16;
const SPARSE_TERMS = 40;
const DELETED_SHARE = 0.2;

export class RecordGroups implements Activity {
  readonly name: string;
  readonly #isSparse: boolean;
  readonly #random: Random;
  readonly #histories = Array.from({ length: GROUPS }, (_, group) => new History(`group ${group}`));
  #host = '';

  constructor(name: string, { isSparse, random }: { readonly isSparse: boolean; readonly random: Random }) {
    this.name = name;
    this.#isSparse = isSparse;
    this.#random = random;
  }

  get acknowledged(): number {
    return this.#histories.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async prepare(service: Service): Promise<void> {
    const kind = this.#isSparse
      ? { vector_type: 'sparse', metric: 'dotproduct' }
      : { dimension: DIMENSION, metric: 'cosine' };
    this.#host = await service.createIndex({ name: this.name, ...kind });
    // The namespace stays when all groups are deleted.
    const connection = new Connection(this.#host);
    await connection.post('/vectors/upsert', { vectors: [this.#record('anchor', 0, 1)] });
    connection.close();
  }

  work(): Promise<void> {
    const connection = new Connection(this.#host);
    return untilGone(async () => {
      const group = this.#random.below(GROUPS);
      const history = this.#histories[group];
      if (history === undefined) return;
      if (this.#random.next() < DELETED_SHARE) {
        const body = { ids: idsOf(group) };
        await history.request(ABSENT, () => connection.post('/vectors/delete', body));
      } else {
        const version = history.nextVersion();
        const vectors = idsOf(group).map((id, at) => this.#record(id, at, version));
        await history.request(version, () => connection.post('/vectors/upsert', { vectors }));
      }
    }).finally(() => connection.close());
  }

  async verify(at: bigint): Promise<void> {
    const connection = new Connection(this.#host);
    try {
      const stored = await everything(connection, '');
      for (const [group, history] of this.#histories.entries()) {
        const found = idsOf(group).flatMap((id) => stored.get(id) ?? []);
        const version = Number(found[0]?.metadata?.version ?? ABSENT);
        history.assertPossible(version, at);
        if (version === ABSENT) continue;
        const expected = idsOf(group).map((id, i) => this.#record(id, i, version));
        assert.deepEqual(found.map(plain), expected.map(plain), `${this.name}, group ${group}`);
      }
      await this.#search(connection, stored);
    } finally {
      connection.close();
    }
  }

  /** Searches find what is stored, and nothing else. */
  async #search(connection: Connection, stored: ReadonlyMap<string, ModelRecord>): Promise<void> {
    const query = this.#isSparse
      ? { sparseVector: { indices: [1], values: [1] } }
      : { vector: Array.from({ length: DIMENSION }, () => this.#random.next() - 0.5) };
    const matches = await connection.query({ ...query, topK: 1_000 });
    const ids = new Set(matches.map(({ id }) => id));
    assert.equal(ids.size, stored.size, `${this.name}: records found by a search`);
    for (const id of ids) assert.ok(stored.has(id), `${id} is found, but not stored`);
  }

  /** The same for the same id and version. */
  #record(id: string, at: number, version: number): ModelRecord {
    const metadata = { version, at };
    const indices = [1, 2 + ((at + version) % SPARSE_TERMS)];
    const values = [1, version + 0.5];
    if (this.#isSparse) return { id, values: [], sparseValues: { indices, values }, metadata };
    return {
      id,
      values: Array.from({ length: DIMENSION }, (_, i) => ((version * 31 + at * 7 + i * 13) % 64) / 64 + 1),
      metadata,
    };
  }
}

function idsOf(group: number): readonly string[] {
  return Array.from({ length: IDS_A_GROUP }, (_, i) => `g${group}-${i}`);
}

function plain({ id, values, sparseValues, metadata }: ModelRecord): unknown {
  return { id, values: [...(values ?? [])], sparse: sparseValues ?? null, metadata };
}
