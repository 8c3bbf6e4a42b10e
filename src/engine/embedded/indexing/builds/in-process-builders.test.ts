// Builders in the calling thread build the same graphs as the kernel, and let the event loop turn meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '../../../../platform/testing/turns.ts';
import { assertSound, recallAt10 } from '../../kernels/testing/graph-checks.ts';
import { GraphFixture } from '../../kernels/testing/graph-fixture.ts';
import { graphVectors } from '../../kernels/testing/graph-vectors.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import { FRAME_BYTES } from '../../memory/arena.ts';
import { InProcessBuilders } from './in-process-builders.ts';
import { insertion } from './testing/build-fixture.ts';

const MAX_DEGREE = 32;
const { rows, queries } = graphVectors('hard', { dim: 32, rows: 3_000, queries: 30 });
const make = () => new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree: MAX_DEGREE });

test('builds a sound graph in slices between which the event loop turns', async () => {
  const fixture = make();
  const builders = new InProcessBuilders();
  const turns = countTurns();
  const jobs = [
    insertion(fixture, { from: 0, until: 1_000 }),
    insertion(fixture, { from: 1_000, until: 3_000 }),
  ];
  const answers = await Promise.all(jobs.map((job) => builders.run(fixture.memory, job)));
  turns.stop();
  assert.deepEqual(answers, [
    { refused: [], clusters: 0 },
    { refused: [], clusters: 0 },
  ]);
  // Each job takes much longer than one slice.
  assert.ok(turns.count > jobs.length, `${turns.count} turns`);
  assertSound(fixture, { maxDegree: MAX_DEGREE });
  assert.ok(recallAt10(fixture, queries, { ef: 100 }) >= 0.98);
});

test('removes deleted nodes as the kernel does', async () => {
  const fixture = make();
  const builders = new InProcessBuilders();
  await builders.run(fixture.memory, insertion(fixture, { from: 0, until: rows.length }));
  const { graph, live, slots } = fixture.layout;
  fixture.setBits(live, (slot) => slot % 3 !== 0);
  const work = { graph, live, slotLimit: slots, efConstruction: 64 };
  for (let from = 0; from < slots; from += 1_000)
    await builders.run(fixture.memory, { kind: 'consolidate-deletes', ...work, from, until: from + 1_000 });
  await builders.run(fixture.memory, { kind: 'drop-deleted', ...work });
  for (let slot = 1; slot < slots; slot += 50)
    if (slot % 3 !== 0) assert.ok(fixture.nodes.neighborsOf(slot).every((link) => link % 3 !== 0));
  const found = fixture.search(queries[0] ?? new Float32Array(32), { ef: 100, bitmap: live });
  assert.equal(found.length, 100);
});

test('reports the rows that codes cannot represent', async () => {
  const strange = rows.slice(0, 50).map((row, i) => (i === 20 ? row.map(() => 3e38) : row));
  const fixture = new GraphFixture({ build: 'plain', metric: 'euclidean', rows: strange });
  const { refused } = await new InProcessBuilders().run(
    fixture.memory,
    insertion(fixture, { from: 0, until: 50 }),
  );
  assert.deepEqual(refused, [20]);
});

test('refuses a job for which the arena has no scratch memory, and leaves the graph unchanged', async () => {
  const shape = { build: 'plain', metric: 'cosine', rows, maxDegree: MAX_DEGREE } as const;
  const fixture = new GraphFixture({ ...shape, hasClusters: false });
  fixture.insert(0, 100);
  fixture.memory.grow(65_536 - fixture.memory.buffer.byteLength / FRAME_BYTES);
  const run = new InProcessBuilders().run(fixture.memory, insertion(fixture, { from: 100, until: 200 }));
  await assert.rejects(run, ArenaFull);
  fixture.insert(100, 3_000);
  assertSound(fixture, { maxDegree: MAX_DEGREE });
});
