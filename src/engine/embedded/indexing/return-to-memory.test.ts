// Memory that a namespace leaves is free again: for itself, for others, and for other indexes.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { openInProcess } from '../in-process-index.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { assertRecall } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';

const FRAMES_EACH = 96;
const BUDGET_FRAMES = 4_096;
/** For what searches take as scratch memory; nothing else is free. */
const FREE_FRAMES = 24;
const RECORDS = 14_000;
/** Of matching records; enough queries that one missed result is within the promise. */
const PER_MILLE = [null, 500, null, 500, null, 500, null, 500, null, 500];
const LOT = 2_000;
const IN_MEMORY = sampleProfile({ metric: 'cosine', dimension: 128 });
const ON_DISK: IndexProfile = {
  ...sampleProfile({ metric: 'cosine', dimension: 160 }),
  memoryProfile: 'disk',
};

class CountingBuilders extends InProcessBuilders {
  inserted = 0;

  override run(...[memory, job]: Parameters<InProcessBuilders['run']>): ReturnType<InProcessBuilders['run']> {
    if (job.kind === 'insert') this.inserted += job.slots.length;
    return super.run(memory, job);
  }
}

function setUp(test: TestContext, profile: IndexProfile) {
  const budget = FrameBudget.of(BUDGET_FRAMES);
  const builders = new CountingBuilders();
  const index = openInProcess(profile, tempFolder(test), {
    directRecordsMax: 0,
    framesMax: FRAMES_EACH,
    maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
    saveIdleMs: 20,
    builders,
    budget,
  });
  test.after(() => index.close());
  const model = new ReferenceIndex(profile);
  const records = new HardRecords(profile, 12);
  const { loaded, checkpointer } = index.parts;
  const check = (namespace: string) =>
    assertRecall(
      { actual: index.reader, model },
      PER_MILLE.map((perMille) => ({ ...records.query(perMille), namespace })),
    );
  /** Writes records into a namespace, and waits until all are in graphs and in files. */
  const fill = async (namespace: string, count: number) => {
    for (let first = 0; first < count; first += LOT) {
      const batch = records.records(first, Math.min(LOT, count - first));
      for (const side of [index.writer, model]) await side.upsert(namespace, batch);
      await check(namespace);
    }
    await loaded.settled();
    await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the files');
    await loaded.settled();
  };
  return { index, model, budget, builders, check, fill };
}

for (const [place, profile] of [
  ['in memory', IN_MEMORY],
  ['on disk', ON_DISK],
] as const)
  it(`${place}: a namespace of full arenas that was evicted is restored into the memory that it left`, async (test) => {
    const { index, budget, builders, check, fill } = setUp(test, profile);
    await fill('', RECORDS);
    const { loaded } = index.parts;
    const slotCounts = () => loaded.segments().map(({ slotCount }) => slotCount);
    const before = slotCounts();
    assert.ok(before.length > 1, `${before.length} segments`);
    budget.note(budget.free - FREE_FRAMES);
    builders.inserted = 0;
    for (let round = 0; round < 3; round++) {
      loaded.dropAll();
      // It is freed when no work on its graphs is under way.
      await new Promise(setImmediate);
      await check('');
      assert.deepEqual(loaded.oversized.ids, [], `round ${round}`);
      await loaded.settled();
      assert.deepEqual(slotCounts(), before);
      assert.equal(builders.inserted, 0);
    }
  });

it('gives back the arenas of a deleted namespace, the first one too, while others stay and are searched', async (test) => {
  const { index, model, budget, check, fill } = setUp(test, IN_MEMORY);
  await fill('large', RECORDS);
  await fill('small', LOT);
  const [small] = index.parts.loaded.segments().slice(-1);
  assert.ok(small !== undefined && small.context.number > 0);
  const { used } = budget;
  for (const side of [index.writer, model]) await side.deleteNamespace('large');
  await until(() => budget.used < used - FRAMES_EACH / 2, 'the memory');
  assert.equal(index.parts.memory.leaveOld().length, small.context.number);
  await check('small');
  await fill('large', LOT);
  await check('large');
  await check('small');
});
