// Tests the memory limit with real threads: what one index frees is available to the others.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { inTime, until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { effort } from '../testing/effort.ts';
import { EngineClient, type EngineClientOptions } from '../testing/engine-client.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { writerOf } from './assignment.ts';

type Matches = { readonly matches: readonly { readonly id: string }[] };

const DIMENSION = 1_024;
const RECORDS = 2_500;
const MEBIBYTE = 2 ** 20;
/** If the memory of dead writers were not freed, this many rounds would exceed the limit. */
const WRITER_DEATHS = effort({ daily: 2, long: 4 });
const PROFILE = sampleProfile({ dimension: DIMENSION, metric: 'cosine' });
/** An index takes 2.7 MiB, allocated in whole MiB. */
const BYTES_MAX = 5 * MEBIBYTE;

/** The first index that is assigned to this one of two writer threads. */
function indexOf(writer: number, after = 0): IndexProfile {
  for (let i = after; ; i++) {
    const id = `5e1f0000-0000-4000-8000-0000000000${10 + i}`;
    if (writerOf(id, 2) === writer) return { ...PROFILE, id };
  }
}

async function start(test: TestContext, indexes: readonly IndexProfile[], options: EngineClientOptions) {
  const client = new EngineClient(tempFolder(test), options);
  test.after(() => client.engine.close());
  const random = new Random(95);
  // Small integers keep bodies short; the values do not matter here.
  const vector = () => Array.from({ length: DIMENSION }, () => random.integer(19) - 9);
  for (const index of indexes) {
    await client.engine.createIndex(index);
    for (let at = 0; at < RECORDS; at += 250) {
      const vectors = Array.from({ length: 250 }, (_, i) => ({ id: `r${at + i}`, values: vector() }));
      const { status } = await client.call(index, 'upsert_vectors', { body: { vectors } });
      assert.equal(status, 200);
    }
  }
  const query = async (index: IndexProfile, params: Record<string, string> = {}) => {
    const query = client.call<Matches>(index, 'query_vectors', {
      body: { vector: vector(), topK: 3 },
      params,
    });
    const { status, body } = await inTime(query, 'a query');
    assert.deepEqual([status, body.matches.length], [200, 3]);
  };
  /** The indexes that are in memory. */
  const loaded = async () => {
    const metrics = await client.engine.metrics(indexes);
    return metrics.indexes.map(({ structure }) => structure?.namespacesLoaded ?? 0);
  };
  return { client, query, loaded, vector };
}

const bound = { bytesMax: BYTES_MAX, coldAfterSeconds: 1 };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Queries an index until it is in memory. */
async function bringIn(
  { query, loaded }: Awaited<ReturnType<typeof start>>,
  index: IndexProfile,
  at: number,
): Promise<void> {
  await until(async () => {
    await query(index);
    if ((await loaded())[at] === 1) return true;
    // More frequent queries would keep the other indexes from becoming cold.
    await pause(250);
    return false;
  }, 'loading into memory');
}

it('reports the limit, and what all indexes have taken of it', async (test) => {
  const [index] = [indexOf(0)];
  const parts = await start(test, [index], { memory: bound });
  await bringIn(parts, index, 0);
  const { memory, indexes } = await parts.client.engine.metrics([index]);
  assert.equal(memory?.bytesMax, BYTES_MAX);
  assert.ok(memory.bytesUsed > 2.5 * MEBIBYTE && memory.bytesUsed <= BYTES_MAX, `${memory.bytesUsed}`);
  assert.equal(indexes[0]?.namespacesOversized, 0);
});

it('evicts indexes for those of another writer thread', async (test) => {
  const indexes = [indexOf(0), indexOf(1)];
  const parts = await start(test, indexes, { writerThreads: 2, memory: bound });
  for (const [at, index] of [...indexes.entries(), ...indexes.entries()]) {
    await bringIn(parts, index, at);
    assert.ok(
      parts.client.engine.memoryBytes <= BYTES_MAX,
      `${parts.client.engine.memoryBytes / MEBIBYTE} MiB`,
    );
  }
  assert.deepEqual(parts.client.problems, []);
});

it('frees the memory of the indexes of a writer thread that died', async (test) => {
  const indexes = [indexOf(0)];
  const entry = (name: string) => new URL(`./testing/${name}.ts`, import.meta.url);
  const entries = { reader: entry('crashing-reader'), writer: entry('crashing-writer') };
  const { client, query, vector } = await start(test, indexes, { entries, memory: bound });
  const [index = PROFILE] = indexes;
  for (let round = 0; round < WRITER_DEATHS; round++) {
    await query(index);
    assert.ok(client.engine.memoryBytes > 2.5 * MEBIBYTE, 'it is in memory each time, so there was room');
    assert.ok(client.engine.memoryBytes <= BYTES_MAX);
    const body = { vectors: [{ id: 'x', values: vector() }] };
    await assert.rejects(client.call(index, 'upsert_vectors', { body, params: { die: 'exit' } }));
  }
  await query(index);
  const { threads } = await client.engine.metrics(indexes);
  assert.deepEqual(
    threads.map(({ kind, restarts }) => (kind === 'writer' ? restarts : 0)),
    [0, 0, WRITER_DEATHS, 0],
  );
});

it('frees the memory of an index that is evicted for another of its thread, or dropped', async (test) => {
  const [one, two] = [indexOf(0), indexOf(0, 40)];
  const parts = await start(test, [one, two], { memory: bound });
  await bringIn(parts, one, 0);
  const held = parts.client.engine.memoryBytes;
  await pause(2_000);
  await bringIn(parts, two, 1);
  assert.deepEqual(await parts.loaded(), [0, 1]);
  assert.ok(parts.client.engine.memoryBytes < held + MEBIBYTE);
  await parts.client.engine.dropIndex(two.id);
  assert.ok(parts.client.engine.memoryBytes < MEBIBYTE);
});
