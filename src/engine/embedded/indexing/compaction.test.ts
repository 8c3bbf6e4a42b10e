// A namespace of mostly tombstones is reloaded: memory stays in proportion to live records.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import type { VectorWriter } from '../../port/reader-and-writer.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { openInProcess } from '../in-process-index.ts';
import { Arena } from '../memory/arena.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { SegmentReader } from '../segments/segment-reader.ts';
import type { NamespaceStructure } from '../segments/structure.ts';
import { assertSame } from '../testing/assert-same.ts';
import { effort } from '../testing/effort.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { assertRecall } from '../testing/recall.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { InProcessBuilders } from './builds/in-process-builders.ts';

const RECORDS = 2_000;
const ROUNDS = effort({ daily: 14, long: 50 });
const PROFILE = sampleProfile({ metric: 'dotproduct', dimension: 32 });

async function setUp(test: TestContext, framesMax?: number) {
  const index = openInProcess(PROFILE, tempFolder(test), {
    directRecordsMax: 0,
    ...(framesMax !== undefined && { framesMax, arenasMax: 1 }),
  });
  const model = new ReferenceIndex(PROFILE);
  const records = new RandomRecords(PROFILE, 51);
  const first = records.records(0, RECORDS);
  for (const side of [index.writer, model]) await side.upsert('', first);
  await index.reader.query(records.query());
  const { attachment } = index.parts;
  const slotCount = () => {
    const { memories, columnSeed, namespaces } = attachment();
    const slots = (structure: NamespaceStructure) => {
      const arena = new Arena(memories[structure.arena] ?? assert.fail('no such arena'));
      return new SegmentReader(arena, structure, { dimension: PROFILE.dimension, columnSeed }).slotCount;
    };
    return (namespaces[0]?.segments ?? []).map(slots).reduce((sum, count) => sum + count, 0);
  };
  const arenaBytes = () => attachment().memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
  return { index, model, records, slotCount, arenaBytes };
}

it('compacts slots after many replacements, and answers correctly', async (test) => {
  const { index, model, records, slotCount } = await setUp(test);
  for (let round = 0; round < 5; round++) {
    const batch = records.records(0, RECORDS);
    for (const side of [index.writer, model]) await side.upsert('', batch);
  }
  await until(() => slotCount() <= 2 * RECORDS + 1_024, 'compaction');
  await assertSame({ actual: index.reader, model }, records);
  await index.close();
});

it(`memory does not grow over ${ROUNDS} rounds of changing every record`, async (test) => {
  const { index, model, records, slotCount, arenaBytes } = await setUp(test);
  const batches = [1, 2, 3].map(() => records.records(0, RECORDS));
  let early = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const batch = batches[round % batches.length] ?? [];
    await index.writer.upsert('', batch);
    await index.reader.query(records.query());
    await until(() => slotCount() <= 2 * RECORDS + 1_024, 'compaction');
    // Work that went on beside the next writes would take memory of its own, as much as it happens to meet.
    await index.parts.loaded.settled();
    // An arena that nothing is in is replaced now and then, and then takes less.
    if (round <= 9) early = Math.max(early, arenaBytes());
    if (round === ROUNDS - 1) await model.upsert('', batch);
  }
  assert.ok(
    arenaBytes() <= early * 1.25,
    `${arenaBytes()} bytes after ${ROUNDS} rounds, ${early} at most in 10`,
  );
  await assertSame({ actual: index.reader, model }, records);
  await index.close();
});

it('compacts a namespace of which one record is replaced over and over', async (test) => {
  const { index, model, records, slotCount } = await setUp(test);
  const changes = Array.from({ length: 4_000 }, (_, i) => ({
    id: `r${i % 10}`,
    values: null,
    sparse: null,
    setMetadata: { i },
  }));
  await Promise.all(changes.map((change) => index.writer.update('', change)));
  for (const change of changes.slice(-10)) await model.update('', change);
  await until(() => slotCount() < RECORDS + 4_000, 'compaction');
  await assertSame({ actual: index.reader, model }, records, { queries: 1 });
  await index.close();
});

it('evicts the old copy where memory cannot hold old and new at once, and keeps the namespace in memory', async (test) => {
  // One copy of all slots takes about 14 frames and the reader's own space as many.
  const { index, model, records, slotCount } = await setUp(test, 34);
  for (let round = 0; round < 12; round++) {
    const batch = records.records(0, RECORDS);
    for (const side of [index.writer, model]) await side.upsert('', batch);
    await index.reader.query(records.query());
  }
  assert.deepEqual(index.parts.loaded.oversized.ids, []);
  assert.ok(slotCount() > 0 && slotCount() <= 3 * RECORDS, `${slotCount()} slots`);
  await assertSame({ actual: index.reader, model }, records);
  await index.close();
});

it('compacts a namespace in files that does not fit beside itself once, and keeps it in memory from then on', async (test) => {
  const profile = sampleProfile({ metric: 'cosine', dimension: 128 });
  const budget = FrameBudget.of(4_096);
  const index = openInProcess(profile, tempFolder(test), {
    directRecordsMax: 0,
    framesMax: 220,
    budget,
    builders: new InProcessBuilders(),
    maintenanceLimits: { graphRecordsMin: 500, unindexedSlotsMin: 64 },
    saveIdleMs: 20,
  });
  test.after(() => index.close());
  const { loaded, checkpointer } = index.parts;
  const records = new RandomRecords(profile, 52);
  const model = new ReferenceIndex(profile);
  const total = 20_000;
  const write = async (work: (side: VectorWriter) => Promise<unknown>) => {
    for (const side of [index.writer, model]) await work(side);
  };
  for (let first = 0; first < total; first += RECORDS) {
    const batch = records.records(first, RECORDS);
    await write((side) => side.upsert('', batch));
    await index.reader.query(records.query());
  }
  const saved = async () => {
    await loaded.settled();
    await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the files');
    await loaded.settled();
  };
  await saved();
  budget.note(budget.free - 30);
  const live = 0.49 * total;
  const dead = Array.from({ length: total - live }, (_, i) => `r${i}`);
  for (let first = 0; first < dead.length; first += RECORDS) {
    const ids = dead.slice(first, first + RECORDS);
    await write((side) => side.deleteIds('', ids));
  }
  const held = () => loaded.segments().reduce((sum, { slotCount }) => sum + slotCount, 0);
  await until(async () => {
    await index.reader.query(records.query());
    return held() >= live && held() <= live + 1_024;
  }, 'compaction');
  await saved();
  const [segment] = loaded.segments();
  for (let round = 0; round < 3; round++) {
    const batch = records.records(total - 10, 10);
    await write((side) => side.upsert('', batch));
    await index.reader.query(records.query());
    await loaded.settled();
    assert.equal(loaded.segments()[0], segment);
  }
  assert.deepEqual(loaded.oversized.ids, []);
  await assertRecall(
    { actual: index.reader, model },
    Array.from({ length: 20 }, () => records.query()),
  );
});

it('reads a namespace with a damaged record once in minutes, not at every write', async (test) => {
  const { index, records } = await setUp(test);
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  test.after(() => process.off('warning', onWarning));
  const { rowFile } = index.parts.files;
  assert.ok(rowFile !== null);
  const row = index.parts.loaded.segments()[0]?.data.slots.rowOf(RECORDS - 1) ?? assert.fail();
  rowFile.write([row], [new Float32Array(32).fill(0.5)]);
  for (let first = 0; first < 1_200; first += 100)
    await index.writer.deleteIds(
      '',
      Array.from({ length: 100 }, (_, i) => `r${first + i}`),
    );
  const reads = () => warnings.filter(({ message }) => message.includes(`row ${row}`)).length;
  await until(() => reads() > 0, 'the damage to be met');
  for (let round = 0; round < 5; round++) {
    await index.writer.deleteIds('', [`r${1_200 + round}`]);
    await index.parts.loaded.settled();
    await new Promise(setImmediate);
  }
  assert.equal(reads(), 1);
  assert.equal((await index.reader.query(records.query())).length, 10);
  await index.close();
});
