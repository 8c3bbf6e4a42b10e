// Groups of records in a namespace that is large enough for a graph, which is built and saved while they change.
import { Connection } from '../connection.ts';
import type { ModelRecord } from '../model.ts';
import type { Random } from '../random.ts';
import type { Service } from '../service.ts';
import { type Activity, untilGone } from './activity.ts';
import { ABSENT, History } from './history.ts';

const NAME = 'graphs';
/** Namespaces have a graph from 10,000 records on. */
const OTHERS = 10_500;
const BATCH = 1_000;
const GROUPS = 10;
const IDS_A_GROUP = 40;
const DIMENSION = 8;
const TOP_K = 10;

export class GraphGroups implements Activity {
  readonly name = NAME;
  readonly #random: Random;
  readonly #histories = Array.from({ length: GROUPS }, (_, group) => new History(`${NAME} ${group}`));
  #host = '';

  constructor(random: Random) {
    this.#random = random;
  }

  get acknowledged(): number {
    return this.#histories.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  }

  async prepare(service: Service): Promise<void> {
    this.#host = await service.createIndex({ name: NAME, dimension: DIMENSION, metric: 'euclidean' });
    const connection = new Connection(this.#host);
    for (let first = 0; first < OTHERS; first += BATCH) {
      const vectors = Array.from({ length: BATCH }, (_, i) => ({
        id: `other-${first + i}`,
        values: this.#random.vector(DIMENSION),
      }));
      await connection.post('/vectors/upsert', { vectors });
    }
    connection.close();
  }

  work(): Promise<void> {
    const connection = new Connection(this.#host);
    return untilGone(async () => {
      const group = this.#random.below(GROUPS);
      const history = this.#histories[group];
      if (history === undefined) return;
      const version = history.nextVersion();
      const vectors = idsOf(group).map((id, at) => recordOf(id, at, version));
      await history.request(version, () => connection.post('/vectors/upsert', { vectors }));
      // Searches keep the namespace in memory, so that its graph is built and saved.
      await connection.query({ vector: this.#random.vector(DIMENSION), topK: TOP_K });
    }).finally(() => connection.close());
  }

  async verify(at: bigint): Promise<void> {
    const connection = new Connection(this.#host);
    try {
      for (const [group, history] of this.#histories.entries()) {
        const stored = await connection.fetch('', idsOf(group));
        const version = Number([...stored.values()][0]?.metadata?.version ?? ABSENT);
        history.assertPossible(version, at);
        if (version === ABSENT) continue;
        for (const [i, id] of idsOf(group).entries()) assertStored(stored.get(id), recordOf(id, i, version));
        await assertFound(connection, recordOf(idsOf(group)[0] ?? '', 0, version));
      }
    } finally {
      connection.close();
    }
  }
}

function idsOf(group: number): readonly string[] {
  return Array.from({ length: IDS_A_GROUP }, (_, i) => `g${group}-${i}`);
}

/** The same for the same id and version; each far from all others. */
function recordOf(id: string, at: number, version: number): ModelRecord {
  const number = Number(id.slice(1, id.indexOf('-'))) * IDS_A_GROUP + at;
  const values = Array.from({ length: DIMENSION }, (_, i) =>
    i === number % DIMENSION ? 10 + number : version % 97,
  );
  return { id, values, metadata: { version } };
}

function assertStored(stored: ModelRecord | undefined, expected: ModelRecord): void {
  const isSame =
    stored?.metadata?.version === expected.metadata?.version &&
    expected.values.every((value, i) => stored?.values[i] === value);
  if (!isSame)
    throw new Error(`${expected.id} is ${JSON.stringify(stored)}, expected ${JSON.stringify(expected)}`);
}

/** A search for its own vector finds it first. */
async function assertFound(connection: Connection, { id, values }: ModelRecord): Promise<void> {
  const matches = await connection.query({ vector: values, topK: TOP_K });
  if (!matches.some((match) => match.id === id))
    throw new Error(`a search for ${id} finds ${matches.map((match) => match.id).join(', ')}`);
}
