// Wherever an allocation fails, answers stay correct, nothing leaks and nothing is freed twice.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { ReferenceIndex } from '../../../reference/reference-index.ts';
import { effort } from '../effort.ts';
import { assertRecall } from '../recall.ts';
import { assertGraphIsSound } from './check-graph.ts';
import { assertMemoryIsRecords } from './check-memory.ts';
import { AllocatorWatch } from './counting-allocator.ts';
import { crashFixture, FILTERS, load, type Opened, saved } from './fixture.ts';

/** A life of a namespace: loaded, graph, changes, repair, compaction, file, restart. */
async function live(test: TestContext, failAt: number): Promise<number> {
  const { profile, records, open, close } = crashFixture(
    test,
    { maintenanceLimits: { graphRecordsMin: 1_000, unindexedSlotsMin: 32 } },
    { dimension: 64 },
  );
  const model = new ReferenceIndex(profile);
  let opened: Opened = open('index');
  const watch = watchOf(test);
  watch.count = 0;
  watch.failAt = failAt;
  const settle = async () => {
    await load(opened, records);
    await opened.index.parts.loaded.settled();
    assertMemoryIsRecords(opened.index.parts, FILTERS);
    for (const segment of opened.index.parts.loaded.segments()) assertGraphIsSound(segment);
    const queries = [null, 500].map((perMille) => records.query(perMille));
    await assertRecall({ actual: opened.index.reader, model }, queries);
  };
  const upsert = async (first: number, count: number) => {
    const batch = records.records(first, count);
    for (const side of [opened.index.writer, model]) await side.upsert('', batch);
  };
  await upsert(0, 1_500);
  await settle();
  await upsert(1_500, 600);
  await settle();
  await upsert(0, 1_200);
  await settle();
  if (failAt === 0) await saved(opened);
  await close(opened);
  watch.forget();
  opened = open('index');
  await upsert(3_000, 100);
  await settle();
  for (const side of [opened.index.writer, model]) await side.deleteNamespace('');
  await opened.index.parts.loaded.settled();
  await new Promise(setImmediate);
  assert.deepEqual(watch.allocated, { blocks: 0, frames: 0 });
  await close(opened);
  watch.forget();
  return watch.count;
}

const watches = new WeakMap<TestContext, AllocatorWatch>();
function watchOf(test: TestContext): AllocatorWatch {
  const known = watches.get(test);
  if (known !== undefined) return known;
  const watch = new AllocatorWatch(test);
  watches.set(test, watch);
  return watch;
}

it('answers correctly although any allocation may fail', async (test) => {
  test.mock.method(process, 'emitWarning', () => {});
  watchOf(test);
  const total = await live(test, 0);
  const step = effort({ daily: 59, long: 1 });
  const failures: string[] = [];
  for (let failAt = 1; failAt <= total; failAt += step) {
    await live(test, failAt).catch((error: Error) => {
      watchOf(test).forget();
      failures.push(`${failAt} of ${total}: ${error.stack}`);
    });
  }
  assert.deepEqual(failures, []);
});
