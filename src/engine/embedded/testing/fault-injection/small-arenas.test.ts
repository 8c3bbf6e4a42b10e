// A graph that memory cannot hold whole is used as far as it goes: it is not rebuilt over and over.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Builders } from '../../indexing/builds/builders.ts';
import { InProcessBuilders } from '../../indexing/builds/in-process-builders.ts';
import { GRAPH_COUNT } from '../../kernels/layout.ts';
import { ArenaFull } from '../../memory/allocator.ts';
import { assertGraphIsSound } from './check-graph.ts';
import { crashFixture, load, onlySegment, upsert } from './fixture.ts';

const RECORDS = 10_000;
/** Slots for which each of two builders has room; the second cannot get more. */
const ROOM = 8_192;

it('does not rebuild a graph every half minute when only one of two builders has scratch memory for it', async (test) => {
  const { records, open } = crashFixture(test);
  const sound = new InProcessBuilders();
  let inserted = 0;
  let jobs = 0;
  const builders: Builders = {
    count: 2,
    run: (memory, job) => {
      if (job.slotLimit > ROOM && ++jobs % 2 === 0) return Promise.reject(new ArenaFull());
      if (job.kind === 'insert') inserted += job.slots.length;
      return sound.run(memory, job);
    },
  };
  const first = open('index', { builders });
  await upsert(first, records, { count: RECORDS });
  await load(first, records);
  await first.index.parts.loaded.settled();
  let later = 0;
  const now = performance.now.bind(performance);
  test.mock.method(performance, 'now', () => now() + later);
  for (let round = 1; round <= 4; round++) {
    later += 60_000;
    await upsert(first, records, { first: RECORDS + round, count: 1 });
    await first.index.parts.loaded.settled();
    assert.ok(
      (onlySegment(first).graphIndex.graph?.slots ?? 0) >= ROOM,
      `round ${round}: ${onlySegment(first).graphIndex.graph?.slots} slots`,
    );
    assertGraphIsSound(onlySegment(first));
  }
  assert.ok(inserted < 2 * RECORDS, `${inserted} insertions for ${RECORDS} records`);
});

it('inserts the first node of a graph alone, even when all earlier ones were deleted', async (test) => {
  const { records, open } = crashFixture(test);
  const sound = new InProcessBuilders();
  let running = 0;
  let together = 0;
  const builders: Builders = {
    count: 2,
    run: async (memory, job) => {
      if (job.kind !== 'insert') return sound.run(memory, job);
      const words = new Uint32Array(memory.buffer);
      running++;
      if (running > 1 && words[(job.graph + GRAPH_COUNT) / 4] === 0) together++;
      try {
        return await sound.run(memory, job);
      } finally {
        running--;
      }
    },
  };
  const first = open('index', { builders });
  await upsert(first, records, { count: 2_000 });
  await load(first, records);
  await first.index.parts.loaded.settled();
  await upsert(first, records, { count: 2_000 });
  await first.index.parts.loaded.settled();
  assert.equal(onlySegment(first).slotCount, 4_000);
  assert.equal(onlySegment(first).graphIndex.graph?.slots, 4_000);
  assert.equal(together, 0);
});
