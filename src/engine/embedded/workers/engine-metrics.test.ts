// Guarantees of the engine's metrics: they are correct, and reading them changes nothing.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { EngineClient } from '../testing/engine-client.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ dimension: 16, metric: 'dotproduct' });
const OTHER = { ...PROFILE, id: '5e1f0000-0000-4000-8000-000000000098' };
const RECORDS = 12_000;

function vectors(random: Random, first: number, count: number) {
  return Array.from({ length: count }, (_, i) => ({
    id: `r${first + i}`,
    values: Array.from({ length: 16 }, () => random.normal()),
    metadata: { i: first + i },
  }));
}

it('reports records, memory and graph construction until done, with correct sums', async (test) => {
  const client = new EngineClient(tempFolder(test));
  test.after(() => client.engine.close());
  await client.engine.createIndex(PROFILE);
  const random = new Random(96);
  const read = async () =>
    (await client.engine.metrics([PROFILE])).indexes[0] ?? assert.fail('the index is reported');
  for (let at = 0; at < RECORDS; at += 500)
    await client.call(PROFILE, 'upsert_vectors', { body: { vectors: vectors(random, at, 500) } });
  const before = await read();
  assert.deepEqual([before.records, before.memory, before.structure], [RECORDS, null, null]);
  await client.call(PROFILE, 'query_vectors', { body: { vector: Array(16).fill(1), topK: 1 } });
  const seen: number[] = [];
  for (;;) {
    const { structure, memory } = await read();
    assert.ok(structure !== null && memory !== null);
    assert.equal(structure.slots, structure.graphSlots + structure.unindexedSlots);
    assert.ok(Object.values(memory).every((bytes) => bytes >= 0));
    if (structure.building === null) break;
    assert.equal(structure.building.total, RECORDS);
    seen.push(structure.building.done);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
    'work done does not shrink',
  );
  const { structure, memory } = await read();
  assert.deepEqual(structure, {
    namespacesLoaded: 1,
    slots: RECORDS,
    graphSlots: RECORDS,
    unindexedSlots: 0,
    building: null,
  });
  assert.ok((memory?.codes ?? 0) >= RECORDS * 16 && (memory?.graph ?? 0) >= RECORDS * 200);
  assert.ok((memory?.columns ?? 0) > 0);
  assert.equal(memory?.sparse, 0);
  // What is saved in the background takes and returns memory between two looks.
  await until(async () => {
    const parts = Object.values((await read()).memory ?? {});
    return parts.reduce((sum, bytes) => sum + bytes, 0) === client.engine.memoryBytes;
  }, 'parts that sum to the whole');
});

it('counts records correctly through every kind of write, and a restart', async (test) => {
  const folder = tempFolder(test);
  const client = new EngineClient(folder);
  await client.engine.createIndex(PROFILE);
  const random = new Random(97);
  const check = async (records: number) => {
    assert.equal((await client.engine.metrics([PROFILE])).indexes[0]?.records, records);
    assert.equal((await client.engine.sizeOf(PROFILE)).records, records);
  };
  const write = async (endpoint: string, body: unknown, params: Record<string, string> = {}) =>
    assert.ok((await client.call(PROFILE, endpoint, { body, params })).status < 300);
  await check(0);
  await write('upsert_vectors', { vectors: vectors(random, 0, 100) });
  await write('upsert_vectors', { vectors: vectors(random, 50, 100), namespace: 'n' });
  await check(200);
  await write('upsert_vectors', { vectors: vectors(random, 90, 20) });
  await check(210);
  await write('update_vectors', { id: 'r1', setMetadata: { i: 7 } });
  await write('update_vectors', { id: 'r2', values: Array(16).fill(1) });
  await check(210);
  await write('delete_vectors', { ids: ['r1', 'r2', 'none'] });
  await write('delete_vectors', { filter: { i: { $gte: 100 } } });
  await check(198);
  await write('delete_vectors', { deleteAll: true, namespace: 'n' });
  await check(98);
  await client.engine.close();

  const again = new EngineClient(folder);
  test.after(() => again.engine.close());
  const [closed] = (await again.engine.metrics([PROFILE])).indexes;
  assert.deepEqual([closed?.records, closed?.memory, closed?.structure], [null, null, null]);
  assert.ok((closed?.bytesOnDisk ?? 0) > 0);
  assert.equal(
    (await again.engine.metrics([PROFILE])).indexes[0]?.records,
    null,
    'reading metrics opened no index',
  );
  assert.equal((await again.engine.sizeOf(PROFILE)).records, 98);
  assert.equal((await again.engine.metrics([PROFILE])).indexes[0]?.records, 98);
});

it('reports indexes in the requested order without dropped ones, and threads with their queues', async (test) => {
  const client = new EngineClient(tempFolder(test), { writerThreads: 2 });
  test.after(() => client.engine.close());
  for (const index of [PROFILE, OTHER]) await client.engine.createIndex(index);
  const reportedIds = async () =>
    (await client.engine.metrics([OTHER, PROFILE])).indexes.map(({ indexId }) => indexId);
  assert.deepEqual(await reportedIds(), [OTHER.id, PROFILE.id]);
  await client.engine.dropIndex(OTHER.id);
  assert.deepEqual(await reportedIds(), [PROFILE.id]);
  const reads = Array.from({ length: 20 }, () =>
    client.call(PROFILE, 'query_vectors', { body: { vector: Array(16).fill(1), topK: 1 } }),
  );
  const { threads } = await client.engine.metrics([]);
  await Promise.all(reads);
  assert.deepEqual(
    threads.map(({ kind, number, restarts }) => [kind, number, restarts]),
    [
      ['reader', 0, 0],
      ['reader', 1, 0],
      ['writer', 0, 0],
      ['writer', 1, 0],
      ['builder', 0, 0],
    ],
  );
  assert.deepEqual(
    (await client.engine.metrics([])).threads.map(({ queued }) => queued),
    [0, 0, 0, 0, 0],
  );
});
