// Queries that need only ids are answered from memory as a model answers them, whatever was written, compacted, saved
// and restarted before, and however long ids are.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile, where } from '../../conformance/sample-data.ts';
import type { Match } from '../../port/reader-and-writer.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { ID_BYTES_MAX } from '../segments/id-list.ts';
import { RecordStore } from '../storage/record-store.ts';
import { RecordTable } from '../storage/record-table.ts';
import { effort } from '../testing/effort.ts';
import { assertMemoryIsRecords } from '../testing/fault-injection/check-memory.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ metric: 'euclidean', dimension: 8 });
const IDS = 500;
const STEPS = effort({ daily: 30, long: 600 });
const SCORE_TOLERANCE = 1e-4;
const FILTER = where('part', { op: 'in', values: [2] });

/** Of all lengths up to two more than memory holds, and the maximum length. */
function idOf(number: number): string {
  const length = number % 100 === 0 ? 512 : 4 + (number % (ID_BYTES_MAX - 1));
  return `${number}`.padEnd(length, '~');
}

/** By id, because rounding may change the order of scores. */
function assertSameMatches(shown: readonly Match[], expected: readonly Match[]): void {
  const scores = new Map(expected.map(({ id, score }) => [id, score]));
  assert.deepEqual(shown.map(({ id }) => id).sort(), [...scores.keys()].sort());
  for (const { id, score } of shown) {
    const difference = Math.abs(score - (scores.get(id) ?? Number.NaN));
    assert.ok(difference <= SCORE_TOLERANCE * Math.max(1, score), `score of ${id}: ${score}`);
  }
}

function setUp(test: TestContext, seed: number) {
  const folder = tempFolder(test);
  const model = new ReferenceIndex(PROFILE);
  const records = new RandomRecords(PROFILE, seed);
  const { random } = records;
  const open = () =>
    openInProcess(PROFILE, folder, {
      directRecordsMax: 0,
      maintenanceLimits: { graphRecordsMin: 200, unindexedSlotsMin: 32 },
      saveIdleMs: 5,
    });
  let index: InProcessIndex = open();
  test.after(() => index.close());
  const someIds = (most: number) => [
    ...new Set(Array.from({ length: 1 + random.integer(most) }, () => idOf(random.integer(IDS)))),
  ];
  const onBoth = async (work: (side: InProcessIndex['writer'] | ReferenceIndex) => Promise<unknown>) => {
    await work(index.writer);
    await work(model);
  };
  const steps = {
    upsert: async () => {
      const batch = someIds(300).map((id) => records.record(id));
      await onBoth((side) => side.upsert('', batch));
    },
    remove: async () => {
      const ids = someIds(80);
      await onBoth((side) => side.deleteIds('', ids));
    },
    changeMetadata: async () => {
      const setMetadata = records.metadata();
      for (const id of someIds(20))
        await onBoth((side) => side.update('', { id, values: null, sparse: null, setMetadata }));
    },
    changeValues: async () => {
      for (const id of someIds(10)) {
        const { values } = records.vectors();
        await onBoth((side) => side.update('', { id, values, sparse: null, setMetadata: null }));
      }
    },
    restart: async () => {
      if (random.integer(2) === 0) {
        const { loaded, checkpointer } = index.parts;
        await loaded.settled();
        await until(
          () => loaded.segments().every((segment) => !checkpointer.isDue(segment, false)),
          'the files',
        );
      }
      await index.close();
      index = open();
    },
  };
  const check = async () => {
    for (const filter of [null, FILTER]) {
      const request = { ...records.query(), topK: IDS, includeMetadata: false, filter };
      const shown = await index.reader.query(request);
      const expected = await model.query(request);
      assertSameMatches(shown, expected);
      assert.ok(shown.every((match) => Object.keys(match).length === 2));
    }
    assertMemoryIsRecords(index.parts, [FILTER]);
  };
  return { steps, check, random, index: () => index };
}

it(`answers the ids of a model after each of ${STEPS} steps of writes, changes, deletes and restarts`, async (test) => {
  const { steps, check, random } = setUp(test, 44);
  const kinds = [
    steps.upsert,
    steps.upsert,
    steps.remove,
    steps.changeMetadata,
    steps.changeValues,
    steps.restart,
  ];
  await steps.upsert();
  for (let step = 0; step < STEPS; step++) {
    await kinds[random.integer(kinds.length)]?.();
    await check();
  }
});

it('reads no record for ids that memory holds, and one for each that is too long for it', async (test) => {
  const index = openInProcess(PROFILE, tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const records = new RandomRecords(PROFILE, 45);
  const short = Array.from({ length: 400 }, (_, i) => records.record(`r${i}`, { kind: 'short' }));
  const long = [1, 2, 3].map((i) => records.record(`${i}`.repeat(ID_BYTES_MAX + 1), { kind: 'long' }));
  await index.writer.upsert('', [...short, ...long]);
  const ask = (kind: string, includeMetadata = false) => {
    const filter = where('kind', { op: 'in', values: [kind] });
    return index.reader.query({ ...records.query(), includeMetadata, filter });
  };
  await ask('short');
  const reads = test.mock.method(RecordTable.prototype, 'get');
  const holds = test.mock.method(RecordStore.prototype, 'hold');
  assert.equal((await ask('short')).length, 10);
  assert.deepEqual([reads.mock.callCount(), holds.mock.callCount()], [0, 0]);
  assert.equal((await ask('long')).length, 3);
  assert.equal(reads.mock.callCount(), 3);
  assert.equal((await ask('short', true)).length, 10);
  assert.equal(reads.mock.callCount(), 13);
});
