// Tests how the indexes of a thread share memory: unused ones are evicted for those in use.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { fakeMonotonicClock } from '../../../platform/testing/fake-monotonic-clock.ts';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { assertSame } from '../testing/assert-same.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { ColdIndexes } from './cold-indexes.ts';

const PROFILE = sampleProfile({ metric: 'cosine', dimension: 128 });
const RECORDS = 4_000;
const DAY_SECONDS = 86_400;
/** An index takes 19 frames, plus scratch memory of the readers. */
const FRAMES_MAX = 30;

interface Side {
  readonly index: InProcessIndex;
  readonly model: ReferenceIndex;
}

async function setUp(test: TestContext, { count = 2, coldAfterSeconds = 0, framesMax = FRAMES_MAX }) {
  const budget = FrameBudget.of(framesMax);
  const sides: Side[] = [];
  const cold = new ColdIndexes({
    indexes: () => sides.map(({ index }) => index.parts.memory),
    coldAfterSeconds,
    onLeft: () => undefined,
  });
  const records = new RandomRecords(PROFILE, 91);
  for (let i = 0; i < count; i++) {
    const index: InProcessIndex = openInProcess(PROFILE, tempFolder(test), {
      directRecordsMax: 0,
      budget,
      coldAfterSeconds,
      peers: cold.peersOf(() => index.parts.memory),
    });
    test.after(() => index.close());
    const model = new ReferenceIndex(PROFILE);
    for (let at = 0; at < RECORDS; at += 1_000) {
      const batch = records.records(at, 1_000);
      for (const side of [index.writer, model]) await side.upsert('', batch);
    }
    sides.push({ index, model });
  }
  let highest = 0;
  const watching = setInterval(() => {
    highest = Math.max(highest, budget.used);
  }, 1);
  test.after(() => clearInterval(watching));
  const ask = ({ index, model }: Side) =>
    assertSame({ actual: index.reader, model }, records, { queries: 1 });
  return { sides, records, budget, cold, ask, highest: () => highest };
}

const namespacesOf = ({ index }: Side) => index.parts.loaded.namespaces().length;

it('searches two indexes that do not fit together in turn, correctly, from memory, within the limit', async (test) => {
  const { sides, records, ask, highest } = await setUp(test, {});
  for (let round = 0; round < 3; round++) {
    for (const side of sides) {
      await ask(side);
      assert.equal(namespacesOf(side), 1, 'it was loaded into memory');
      assert.deepEqual(side.index.parts.loaded.oversized.ids, []);
      assert.equal(sides.filter((each) => namespacesOf(each) > 0).length, 1, 'the other one was evicted');
      const batch = records.records(RECORDS + round, 3);
      for (const { index, model } of sides)
        await Promise.all([index.writer.upsert('', batch), model.upsert('', batch)]);
    }
  }
  assert.ok(highest() > 15 && highest() <= FRAMES_MAX, `${highest()} of ${FRAMES_MAX} frames`);
});

it('does not evict an index in use for another, and searches the other from its records meanwhile', async (test) => {
  const { sides, ask } = await setUp(test, { coldAfterSeconds: DAY_SECONDS });
  const [hot, other] = sides;
  assert.ok(hot !== undefined && other !== undefined);
  await ask(hot);
  for (let round = 0; round < 3; round++) await ask(other);
  assert.deepEqual([namespacesOf(hot), namespacesOf(other)], [1, 0]);
  assert.equal(other.index.parts.loaded.oversized.ids.length, 1);
  await ask(hot);
});

it('keeps the most recently used index when evicting another frees enough', async (test) => {
  const { sides, ask } = await setUp(test, { count: 3, framesMax: 48 });
  const [first, second, third] = sides;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  // Uses are recorded with a resolution of one second.
  const clock = fakeMonotonicClock(test);
  for (const side of [first, second, third]) {
    await ask(side);
    clock.seconds++;
  }
  assert.deepEqual([first, second, third].map(namespacesOf), [0, 1, 1]);
});

it('evicts an index that is no longer used also after the clock was set back', async (test) => {
  const { sides, ask } = await setUp(test, {});
  const [first, second] = sides;
  assert.ok(first !== undefined && second !== undefined);
  test.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  await ask(first);
  test.mock.timers.setTime(Date.now() - DAY_SECONDS * 1_000);
  await ask(second);
  assert.deepEqual([first, second].map(namespacesOf), [0, 1]);
});

it('retries to load what did not fit once another index is gone', async (test) => {
  const { sides, ask } = await setUp(test, { coldAfterSeconds: DAY_SECONDS });
  const [hot, other] = sides;
  assert.ok(hot !== undefined && other !== undefined);
  await ask(hot);
  await ask(other);
  const { loaded } = other.index.parts;
  assert.equal(loaded.oversized.ids.length, 1);
  assert.deepEqual(
    [hot, other].map(({ index }) => index.parts.figures().namespacesOversized),
    [0, 1],
    'metrics tell',
  );
  hot.index.parts.memory.empty();
  await until(() => loaded.oversized.ids.length === 0, 'the second chance');
  // Lets the reader process the message.
  await new Promise(setImmediate);
  await ask(other);
  assert.equal(namespacesOf(other), 1);
});

it('evicts nothing for a namespace that can never fit, and allocates nothing for it', async (test) => {
  const { sides, ask, records } = await setUp(test, {});
  const [side, huge] = sides;
  assert.ok(side !== undefined && huge !== undefined);
  // Alone it now takes 57 frames.
  for (let at = RECORDS; at < 3 * RECORDS; at += 1_000) {
    const batch = records.records(at, 1_000);
    for (const each of [huge.index.writer, huge.model]) await each.upsert('', batch);
  }
  await ask(side);
  await ask(huge);
  assert.deepEqual([namespacesOf(side), namespacesOf(huge)], [1, 0]);
  assert.equal(huge.index.parts.memory.evictableFrames, 0);
});

it('answers queries and writes correctly whose index is evicted meanwhile', async (test) => {
  const { sides, ask, records } = await setUp(test, { count: 1 });
  const [side] = sides;
  assert.ok(side !== undefined);
  const { index, model } = side;
  for (let round = 0; round < 5; round++) {
    const batch = records.records(round * 10, 20);
    const queries = Array.from({ length: 5 }, () => index.reader.query(records.query()));
    const written = index.writer.upsert('', batch);
    await model.upsert('', batch);
    for (let i = 0; i < round; i++) await new Promise(setImmediate);
    index.parts.memory.empty();
    for (const answer of await Promise.all(queries)) assert.equal(answer.length, 10);
    await written;
    await ask(side);
  }
});

it('frees all memory of an evicted index but what an empty one takes', async (test) => {
  const { sides, ask, budget } = await setUp(test, { count: 1 });
  const [side] = sides;
  assert.ok(side !== undefined);
  const { memory } = side.index.parts;
  const before = budget.used;
  await ask(side);
  assert.ok(memory.evictableFrames > 15);
  memory.empty();
  assert.deepEqual([budget.used, memory.evictableFrames], [before, 0]);
});
