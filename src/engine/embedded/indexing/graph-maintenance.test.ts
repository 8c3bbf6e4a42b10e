// Graphs follow their records: they are created, index new records, consolidate deletes, and are dropped again.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Metric } from '../../../domain/index-model.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessOptions, openInProcess } from '../in-process-index.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import { effort } from '../testing/effort.ts';
import { HardRecords } from '../testing/hard-records.ts';
import { assertRecall } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import type { Builders } from './builds/builders.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';
import { SegmentCheckpointer } from './segment-checkpointer.ts';

const RECORDS = 3_000;
const MAINTENANCE_LIMITS = { graphRecordsMin: 500, unindexedSlotsMin: 64 };
/** Selectivities from all to almost none. */
const PER_MILLES = [null, 900, 500, 100, 10, 1];

async function setUp(test: TestContext, metric: Metric, options: InProcessOptions = {}) {
  const profile = sampleProfile({ metric, dimension: 48 });
  const index = openInProcess(profile, tempFolder(test), {
    directRecordsMax: 0,
    maintenanceLimits: MAINTENANCE_LIMITS,
    ...options,
  });
  test.after(() => index.close());
  const model = new ReferenceIndex(profile);
  const records = new HardRecords(profile, 61);
  const sides = [index.writer, model];
  const upsert = async (first: number, count: number) => {
    const batch = records.records(first, count);
    for (const side of sides) await side.upsert('', batch);
  };
  const remove = async (ids: readonly string[]) => {
    for (const side of sides) await side.deleteIds('', ids);
  };
  const check = (queriesEach = 4) => {
    const batch = () => PER_MILLES.map((perMille) => records.query(perMille));
    return assertRecall({ actual: index.reader, model }, Array.from({ length: queriesEach }, batch).flat());
  };
  const graphSlots = () =>
    index.parts.loaded.segments().reduce((sum, { graphIndex: { graph } }) => sum + (graph?.slots ?? 0), 0);
  await upsert(0, RECORDS);
  await index.reader.query(records.query());
  return { index, model, records, upsert, remove, check, graphSlots };
}

it('trains clusters once a graph is large enough, and again when it has doubled', async (test) => {
  const { index, upsert, check } = await setUp(test, 'cosine');
  const chosenAt = () =>
    index.parts.loaded.segments().map(({ graphIndex: { graph } }) => graph?.clusters.trainedAt);
  await index.parts.loaded.settled();
  assert.deepEqual(chosenAt(), [2_048]);
  await upsert(RECORDS, RECORDS);
  await index.parts.loaded.settled();
  assert.deepEqual(chosenAt(), [2 * RECORDS]);
  await check();
});

it('writes no file for each hundredth of a graph that is being built', async (test) => {
  const { index, upsert } = await setUp(test, 'cosine', { saveIdleMs: 0 });
  const { checkpointer, loaded } = index.parts;
  await loaded.settled();
  const saved = () =>
    until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the file');
  await saved();
  const asked: { readonly isGrowing: boolean; readonly whenGrowing: boolean; readonly otherwise: boolean }[] =
    [];
  const { isDue } = SegmentCheckpointer.prototype;
  test.mock.method(
    SegmentCheckpointer.prototype,
    'isDue',
    function (this: SegmentCheckpointer, memory: SegmentWriter, isGrowing: boolean) {
      const behind = memory.slotCount - (memory.graphIndex.graph?.slots ?? 0);
      assert.equal(isGrowing, behind >= MAINTENANCE_LIMITS.unindexedSlotsMin);
      const [whenGrowing, otherwise] = [isDue.call(this, memory, true), isDue.call(this, memory, false)];
      asked.push({ isGrowing, whenGrowing, otherwise });
      return isGrowing ? whenGrowing : otherwise;
    },
  );
  // Fewer than the graph is extended for, but more than a hundredth.
  await upsert(RECORDS, 40);
  await loaded.settled();
  await saved();
  assert.ok(asked.some(({ whenGrowing, otherwise }) => otherwise && !whenGrowing));
  await upsert(RECORDS + 40, RECORDS / 4);
  await loaded.settled();
  assert.ok(asked.some(({ isGrowing }) => isGrowing));
});

/** The other tests take the other metrics. */
for (const metric of effort<readonly Metric[]>({
  daily: ['dotproduct'],
  long: ['cosine', 'euclidean', 'dotproduct'],
})) {
  it(`finds ${metric} records before, while and after they are indexed`, async (test) => {
    const { index, upsert, remove, check, graphSlots } = await setUp(test, metric);
    await check();
    await index.parts.loaded.settled();
    assert.equal(graphSlots(), RECORDS);
    await check();
    await upsert(RECORDS - 500, 1_000);
    await check();
    await index.parts.loaded.settled();
    assert.ok(graphSlots() > RECORDS + 900, `${graphSlots()} slots in the graph`);
    await remove(Array.from({ length: 1_200 }, (_, i) => `r${2 * i}`));
    await check();
    await index.parts.loaded.settled();
    await check();
  });
}

it('drops the graph of a namespace that shrinks below half of the minimum', async (test) => {
  const { index, remove, check, graphSlots } = await setUp(test, 'cosine');
  await index.parts.loaded.settled();
  await remove(Array.from({ length: RECORDS - 100 }, (_, i) => `r${i}`));
  await until(() => graphSlots() === 0, 'the end of the graph');
  await check();
});

it('finds rows that codes cannot represent, beside the graph', async (test) => {
  const { index, model, check } = await setUp(test, 'euclidean');
  const far = [1e20, -1e25, 3e18].map((size, i) => ({
    id: `far${i}`,
    values: new Float32Array(48).fill(size),
    sparse: null,
    metadataJson: '{"slice":0}',
  }));
  for (const side of [index.writer, model]) await side.upsert('', far);
  for (let i = 0; i < 100; i++)
    await index.writer.update('', { id: `r${i}`, values: null, sparse: null, setMetadata: { slice: 1 } });
  for (let i = 0; i < 100; i++)
    await model.update('', { id: `r${i}`, values: null, sparse: null, setMetadata: { slice: 1 } });
  await index.parts.loaded.settled();
  await check();
  const [nearest] = await index.reader.query({
    namespace: '',
    topK: 1,
    values: far[0]?.values ?? null,
    sparse: null,
    filter: null,
    includeValues: false,
    includeMetadata: false,
  });
  assert.equal(nearest?.id, 'far0');
});

const farRecord = (id: string, size: number) => ({
  ...{ id, sparse: null, metadataJson: '{"slice":0}' },
  values: Float32Array.from({ length: 48 }, (_, at) => size * (1 + at)),
});

it('keeps a graph while records that codes cannot represent are written over and over', async (test) => {
  const { index, model, check, graphSlots } = await setUp(test, 'euclidean');
  const warned = test.mock.method(process, 'emitWarning', () => {});
  for (const version of [1, 2, 3, 4]) {
    const far = Array.from({ length: 400 }, (_, at) => farRecord(`far${at}`, (version + at) * 1e18));
    for (const side of [index.writer, model]) await side.upsert('', far);
    await index.parts.loaded.settled();
  }
  assert.ok(graphSlots() >= RECORDS + 1_600);
  assert.equal(warned.mock.callCount(), 0);
  await check(1);
});

it('keeps what a graph has where too many rows are beyond codes, scans the rest, and tells of it once', async (test) => {
  const { index, model, check, graphSlots, upsert } = await setUp(test, 'euclidean');
  const warned = test.mock.method(process, 'emitWarning', () => {});
  await index.parts.loaded.settled();
  const far = Array.from({ length: 1_200 }, (_, at) => farRecord(`far${at}`, (1 + at) * 1e18));
  for (const side of [index.writer, model]) await side.upsert('', far);
  await index.parts.loaded.settled();
  await upsert(RECORDS, 200);
  await index.parts.loaded.settled();
  assert.ok(graphSlots() >= RECORDS);
  assert.equal(warned.mock.callCount(), 1);
  await check();
  for (const at of [0, 600, 1_199]) {
    const nearest = { values: far[at]?.values ?? null, topK: 3 };
    const [found, expected] = await Promise.all(
      [index.reader, model].map((side) => side.query(sampleQuery(nearest))),
    );
    assert.deepEqual(
      found?.map(({ id }) => id),
      expected?.map(({ id }) => id),
    );
  }
});

it('rebuilds a graph whose builder died, and answers correctly meanwhile', async (test) => {
  const sound = new InProcessBuilders();
  let jobs = 0;
  const builders: Builders = {
    count: 1,
    run: (memory, job) =>
      ++jobs === 9 ? Promise.reject(new Error('a builder ended')) : sound.run(memory, job),
  };
  test.mock.method(process, 'emitWarning', () => {});
  const { index, check, graphSlots } = await setUp(test, 'cosine', { builders });
  await check();
  await until(() => graphSlots() === RECORDS, 'the new graph');
  assert.ok(jobs > 9);
  await index.parts.loaded.settled();
  await check();
});

it('leaves nothing of a namespace that is dropped while its graph is built', async (test) => {
  const { index, model, upsert, check } = await setUp(test, 'cosine');
  for (const side of [index.writer, model]) await side.deleteNamespace('');
  await check();
  await upsert(0, RECORDS);
  await check();
  await index.parts.loaded.settled();
  await check();
});

it('searches a namespace in several arenas as one', async (test) => {
  const { index, upsert, remove, check, graphSlots } = await setUp(test, 'cosine', {
    framesMax: 24,
    arenasMax: 20,
  });
  const segments = () => index.parts.loaded.segments().length;
  await upsert(RECORDS, 4 * RECORDS);
  assert.ok(segments() > 1, `${segments()} segments`);
  await check(1);
  await index.parts.loaded.settled();
  assert.ok(graphSlots() > 0);
  await check(1);
  await remove(Array.from({ length: RECORDS }, (_, i) => `r${3 * i}`));
  await upsert(100, 300);
  await index.parts.loaded.settled();
  await check(1);
});
