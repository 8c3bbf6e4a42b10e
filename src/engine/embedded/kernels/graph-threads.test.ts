// Graphs under several threads: searches during insertion, and two threads that insert.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { effort } from '../testing/effort.ts';
import { GRAPH_COUNT } from './layout.ts';
import { assertSound, recallAt10 } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import type { InserterTask } from './testing/graph-inserter.ts';
import { graphVectors } from './testing/graph-vectors.ts';

const MAX_DEGREE = 32;
const FIRST = 200;

/** Starts a thread that inserts every `step`-th slot from `first` on; resolves with its exit code. */
function startInserter(fixture: GraphFixture, slots: { first: number; step: number }): Promise<unknown[]> {
  const task: InserterTask = { memory: fixture.memory, layout: fixture.layout, efConstruction: 64, ...slots };
  return once(
    new Worker(new URL('./testing/graph-inserter.ts', import.meta.url), { workerData: task }),
    'exit',
  );
}

function countOf(fixture: GraphFixture): number {
  return Atomics.load(fixture.u32, (fixture.layout.graph + GRAPH_COUNT) / 4);
}

for (const data of ['hard', 'duplicates'] as const) {
  const { rows, queries } = graphVectors(data, {
    dim: 32,
    rows: effort({ daily: 3_000, long: 6_000 }),
    queries: 30,
  });
  const make = () => new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree: MAX_DEGREE });

  test(`${data}: finds valid slots during insertion, and all afterwards`, async () => {
    const fixture = make();
    fixture.insert(0, FIRST);
    const ended = startInserter(fixture, { first: FIRST, step: 1 });
    let during = 0;
    for (let at = 0; countOf(fixture) < rows.length; at++) {
      const hits = fixture.search(queries[at % queries.length] ?? new Float32Array(32), { ef: 30 });
      assert.equal(hits.length, 30);
      assert.equal(new Set(hits.map((hit) => hit.slot)).size, 30);
      assert.ok(hits.every((hit) => hit.slot < rows.length));
      if (countOf(fixture) > FIRST) during++;
      // The thread's own start needs the event loop of this one.
      if (at % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await ended, [0]);
    assert.ok(during > 0);
    assertSound(fixture, { maxDegree: MAX_DEGREE });
    assert.ok(recallAt10(fixture, queries, { ef: 100 }) >= 0.98);
  });

  test(`${data}: builds a graph as sound and as good by two threads at once`, async () => {
    const fixture = make();
    fixture.insert(0, FIRST);
    const ended = startInserter(fixture, { first: FIRST + 1, step: 2 });
    while (countOf(fixture) === FIRST) await new Promise((resolve) => setImmediate(resolve));
    const { graph, slots, scratches } = fixture.layout;
    for (let slot = FIRST; slot < slots; slot += 2)
      fixture.kernel.graph.insert({
        graph,
        slot,
        slotLimit: slots,
        efConstruction: 64,
        scratch: scratches[0],
      });
    assert.deepEqual(await ended, [0]);
    assert.equal(countOf(fixture), slots);
    assertSound(fixture, { maxDegree: MAX_DEGREE });
    assert.ok(recallAt10(fixture, queries, { ef: 100 }) >= 0.98);
  });
}
