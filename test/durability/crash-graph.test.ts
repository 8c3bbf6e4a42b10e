// The server is killed while it builds graphs, folds and saves them under heavy updates, and its files are damaged in
// between: nothing acknowledged is lost, nothing deleted comes back, and searches find what they promise.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { BigWriter } from '../support/big-writer.ts';
import { call } from '../support/call.ts';
import { clusteredVectors } from '../support/clusters.ts';
import { Connection, Refused } from '../support/connection.ts';
import { tellOfCycle } from '../support/cycles.ts';
import { damageOne, derivedFiles } from '../support/derived-files.ts';
import { effort } from '../support/effort.ts';
import { everything } from '../support/everything.ts';
import type { Match, ModelRecord } from '../support/model.ts';
import { Random } from '../support/random.ts';
import { Recall } from '../support/recall.ts';
import {
  API_KEY,
  type Environment,
  SEVERAL_READERS,
  type Service,
  startService,
} from '../support/service.ts';

/** For a night: PINYON_CRASH_CYCLES=200. The first kill waits for a file. */
const CYCLES = Number(process.env.PINYON_CRASH_CYCLES ?? effort({ daily: 1, long: 20 }));
const SEED = Number(process.env.PINYON_CRASH_SEED ?? 20);
/** Most of what a start takes goes into threads. */
const THREADS = effort<Environment>({ daily: {}, long: SEVERAL_READERS });
const DIMENSION = 32;
/** Enough for a graph: namespaces have one from 10,000 records on. */
const IDS_A_WRITER = 7_000;
const NAMESPACE = 'large';
const LOAD_MS_MIN = 100;
const LOAD_MS_MAX = 2_500;
/** In a third of the cycles the kill waits for a file, and comes so soon after it. */
const FILE_MS_MAX = 12_000;
const AFTER_FILE_MS_MAX = 400;
const PAUSE_MS_MAX = 200;
/** Between the writes of a writer: as many as it can, or few enough for graph and file to keep up. */
const PAUSES_MS = [0, 50, PAUSE_MS_MAX];
/** Between searches, which else take the processor from the graph. */
const READ_PAUSE_MS = effort({ daily: 10, long: 0 });
const CYCLE_MS_MAX = 240_000;
const QUERIES = 8;

/** Of an explained query. */
interface Answer {
  readonly matches: readonly Match[];
  readonly explain: { readonly structure: string };
}

describe('a server killed while it works on graphs', () => {
  const random = new Random(SEED);
  const values = clusteredVectors(random, DIMENSION);
  const writers = ['one', 'two'].map(
    (name) => new BigWriter({ name, namespace: NAMESPACE, random, ids: IDS_A_WRITER, values }),
  );
  const recall = new Recall();
  let service: Service;
  let host: string;
  /** Restarts whose first search walked a graph: it came from a file. */
  let atOnce = 0;
  before(async () => {
    service = await startService({ env: THREADS });
    host = await service.createIndex({ name: 'crash-graph', dimension: DIMENSION, metric: 'cosine' });
    const connection = new Connection(host);
    for (const writer of writers) await writer.fill(connection);
    connection.close();
  });
  after(() => service.dispose());

  it('keeps every acknowledged write and its recall, cycle after cycle', {
    timeout: CYCLES * CYCLE_MS_MAX,
  }, async (context) => {
    const damages = new Map<string, number>();
    let filesMet = 0;
    for (let cycle = 0; cycle < CYCLES; cycle++) {
      // The first is to meet a file: without one, every start of the day would build its graph anew.
      const pauseMsMax = cycle === 0 ? PAUSE_MS_MAX : random.pick(PAUSES_MS);
      const load = Promise.all([
        ...writers.map((writer) => writer.writeUntilCrash(host, pauseMsMax)),
        readUntilCrash(),
      ]);
      await Promise.race([load, momentOfKill(cycle)]);
      await Promise.all([service.kill(), load]);
      if (hasFile()) filesMet++;
      const damage = random.below(2) === 0 ? damageOne(service.dataDir, random) : null;
      if (damage !== null) damages.set(damage, (damages.get(damage) ?? 0) + 1);
      await service.start({ env: THREADS });
      await compare();
      tellOfCycle(cycle);
    }
    const acknowledged = writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
    const damaged = [...damages].map(([name, count]) => `${name} ${count}`).join(', ');
    context.diagnostic(
      `${CYCLES} kills, ${acknowledged} acknowledged writes, recall ${recall.share.toFixed(4)}`,
    );
    context.diagnostic(`files at ${filesMet} kills, used at ${atOnce} starts; damaged: ${damaged || 'none'}`);
    recall.assertPromised();
  });

  function hasFile(): boolean {
    return derivedFiles(service.dataDir).some((path) => path.endsWith('.segment'));
  }

  async function momentOfKill(cycle: number): Promise<void> {
    if (cycle % 3 > 0) return sleep(LOAD_MS_MIN + random.below(LOAD_MS_MAX - LOAD_MS_MIN));
    const end = performance.now() + FILE_MS_MAX;
    while (!hasFile() && performance.now() < end) await sleep(20);
    return sleep(random.below(AFTER_FILE_MS_MAX));
  }

  /** Searches keep the namespace in memory, so that its graph is built and saved. */
  async function readUntilCrash(): Promise<void> {
    const connection = new Connection(host);
    try {
      while (true) {
        await connection.query({ namespace: NAMESPACE, vector: values(), topK: 10 });
        if (READ_PAUSE_MS > 0) await sleep(READ_PAUSE_MS);
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
    } finally {
      connection.close();
    }
  }

  /** Searches first, so that the namespace is brought back from its files; then everything that is stored. */
  async function compare(): Promise<void> {
    const connection = new Connection(host);
    const asked = Array.from({ length: QUERIES }, () => ({
      vector: values(),
      slices: random.pick([1_000, 500, 20]),
    }));
    const answers: Answer[] = [];
    for (const { vector, slices } of asked) {
      const filter = slices === 1_000 ? undefined : { slice: { $lt: slices } };
      answers.push(await ask(host, { namespace: NAMESPACE, vector, topK: 10, filter }));
    }
    if (answers.some(({ explain }) => explain.structure.startsWith('graph'))) atOnce++;
    const stored = await everything(connection, NAMESPACE);
    connection.close();
    for (const writer of writers) writer.recover(stored);
    const expected = writers.reduce((sum, { records }) => sum + records.size, 0);
    assert.equal(stored.size, expected, 'records stored');
    for (const [i, { vector, slices }] of asked.entries()) {
      const where = ({ metadata }: ModelRecord) => Number(metadata?.slice) < slices;
      recall.count(answers[i]?.matches ?? [], stored, { metric: 'cosine', vector, topK: 10, where });
    }
  }
});

async function ask(host: string, body: Readonly<Record<string, unknown>>): Promise<Answer> {
  const answer = await call(host, 'POST', '/query', {
    key: API_KEY,
    body,
    headers: { 'x-pinyon-explain': 'true' },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Answer;
}
