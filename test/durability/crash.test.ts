// The server is killed at random moments of a mixed load: nothing acknowledged is lost, nothing is half done.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, Refused } from '../support/connection.ts';
import { CrashIndexes } from '../support/crash-indexes.ts';
import { CRASH_DIMENSION, CrashWriter } from '../support/crash-writer.ts';
import { tellOfCycle } from '../support/cycles.ts';
import { effort } from '../support/effort.ts';
import { assertMatches, type ModelRecord } from '../support/model.ts';
import { Random } from '../support/random.ts';
import { type Environment, SEVERAL_READERS, type Service, startService } from '../support/service.ts';

/** For a night: PINYON_CRASH_CYCLES=200 */
const CYCLES = Number(process.env.PINYON_CRASH_CYCLES ?? effort({ daily: 2, long: 20 }));
const SEED = Number(process.env.PINYON_CRASH_SEED ?? 20);
/** Most of what a start takes goes into threads. */
const THREADS = effort<Environment>({ daily: {}, long: SEVERAL_READERS });
const LOAD_MS_MIN = 200;
const LOAD_MS_MAX = effort({ daily: 600, long: 1_200 });
const CYCLE_MS_MAX = 120_000;

describe('a server killed under load', () => {
  const random = new Random(SEED);
  const writers = [
    new CrashWriter('shared1', random, 'shared'),
    new CrashWriter('shared2', random, 'shared'),
    new CrashWriter('alone1', random),
    new CrashWriter('alone2', random),
  ];
  let service: Service;
  let host: string;
  before(async () => {
    service = await startService({ env: THREADS });
    host = await service.createIndex({ name: 'crash', dimension: CRASH_DIMENSION, metric: 'dotproduct' });
  });
  after(() => service.dispose());

  it('keeps every acknowledged write and shows no half batch, cycle after cycle', {
    timeout: CYCLES * CYCLE_MS_MAX,
  }, async (context) => {
    const indexes = new CrashIndexes(service, random);
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const load = Promise.all([
        ...writers.map((writer) => writer.writeUntilCrash(host)),
        indexes.changeUntilCrash(),
        readUntilCrash(),
      ]);
      await Promise.race([load, sleep(LOAD_MS_MIN + random.below(LOAD_MS_MAX - LOAD_MS_MIN))]);
      await Promise.all([service.kill(), load]);
      await service.start({ env: THREADS });
      await indexes.recover();
      await compare();
      tellOfCycle(cycle);
    }
    const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
    context.diagnostic(`${CYCLES} kills, ${acknowledged} acknowledged writes`);
  });

  /** Searches keep namespaces in memory, so that writes have to keep that up to date. */
  async function readUntilCrash(): Promise<void> {
    const connection = new Connection(host);
    try {
      while (true) {
        const { namespace } = random.pick(writers);
        await connection.query({ namespace, vector: random.vector(CRASH_DIMENSION), topK: 10 });
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
    } finally {
      connection.close();
    }
  }

  async function compare(): Promise<void> {
    const connection = new Connection(host);
    for (const namespace of new Set(writers.map((writer) => writer.namespace))) {
      const stored = await everyRecord(connection, namespace);
      const owners = writers.filter((writer) => writer.namespace === namespace);
      for (const writer of owners) writer.recover(stored);
      const expected = owners.reduce((sum, { records }) => sum + records.size, 0);
      assert.equal(stored.size, expected, `records in ${namespace}`);
      await compareQueries(connection, namespace, stored);
    }
    connection.close();
  }

  async function compareQueries(
    connection: Connection,
    namespace: string,
    records: ReadonlyMap<string, ModelRecord>,
  ): Promise<void> {
    for (const filter of [undefined, { group: 1 }, { marked: { $exists: true } }]) {
      const vector = random.vector(CRASH_DIMENSION);
      const sparse = { indices: [1, 7, 20, 33], values: random.vector(4) };
      const where = ({ metadata }: ModelRecord) =>
        filter === undefined || ('group' in filter ? metadata?.group === 1 : metadata?.marked !== undefined);
      const query = { vector, sparseVector: sparse, topK: 1_000, filter };
      const matches = await connection.query({ namespace, ...query });
      assertMatches(matches, records, { metric: 'dotproduct', vector, sparse, topK: 1_000, where });
    }
  }
});

async function everyRecord(
  connection: Connection,
  namespace: string,
): Promise<ReadonlyMap<string, ModelRecord>> {
  const ids = await connection.listIds(namespace);
  return ids.length === 0 ? new Map() : connection.fetch(namespace, ids);
}
