// Guarantees of scans of many records: other reads come in between, and each answers as of one moment.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { parseFilter } from '../../../domain/filter/parse-filter.ts';
import { countTurns } from '../../../platform/testing/turns.ts';
import { document, TEXTS_ONLY, term } from '../../conformance/document-data.ts';
import { dense, sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { type InProcessIndex, openInProcess } from '../in-process-index.ts';
import { BOUNDS } from '../testing/history-fixture.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const RECORDS = 10_000;
const EVEN = parseFilter({ even: true });
const ON_DISK = { directRecordsMax: Number.POSITIVE_INFINITY, history: { bounds: BOUNDS } };

/** Each look at the clock takes a millisecond from now on: a fast machine scans all in one slice. */
function slowDown(test: TestContext): void {
  let nowMs = performance.now();
  test.mock.method(performance, 'now', () => nowMs++);
}

async function setUp(test: TestContext): Promise<InProcessIndex> {
  slowDown(test);
  const index = openInProcess(
    sampleProfile({ dimension: 2, metric: 'dotproduct' }),
    tempFolder(test),
    ON_DISK,
  );
  for (let first = 0; first < RECORDS; first += 1_000)
    await index.writer.upsert(
      '',
      Array.from({ length: 1_000 }, (_, i) => dense(`r${first + i}`, [1, first + i], { even: i % 2 === 0 })),
    );
  return index;
}

/** Event loop turns that come between the beginning and the end of some work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  const turns = countTurns();
  await work();
  turns.stop();
  return turns.count;
}

describe('scans of many records', () => {
  it('let other work of the thread come in between', async (test) => {
    const index = await setUp(test);
    const { reader, writer } = index;
    await writer.branches.create({ name: 'branch', source: '', asOf: null });
    const then = await reader.lsn();
    await writer.upsert('', [dense('new', [1, 1], { even: true })]);
    const past = reader.asOf({ lsn: then });
    const query = sampleQuery({ values: new Float32Array([0, 1]), topK: 3 });
    for (const [name, work] of [
      ['count', () => reader.count('', EVEN)],
      ['count of a branch', () => reader.count('branch', EVEN)],
      ['count of the past', () => past.count('', EVEN)],
      ['query', () => reader.query(query)],
      [
        'page',
        () =>
          reader.fetchByFilter({
            namespace: 'branch',
            filter: parseFilter({ even: 7 }),
            after: null,
            limit: 9,
            bytesMax: 1e6,
          }),
      ],
    ] as const) {
      const turns = await turnsDuring(work);
      assert.ok(turns > 2, `${name}: ${turns} turns`);
    }
    assert.equal(await reader.count('branch', EVEN), RECORDS / 2);
    assert.equal(await past.count('', EVEN), RECORDS / 2);
    assert.deepEqual(
      (await reader.query(query)).map(({ id }) => id),
      [RECORDS - 1, RECORDS - 2, RECORDS - 3].map((i) => `r${i}`),
    );
    await index.close();
  });

  it('answer as of one moment, whatever is written meanwhile', async (test) => {
    const index = await setUp(test);
    const { reader, writer } = index;
    const query = sampleQuery({ values: new Float32Array([0, 1]), topK: 100, includeValues: true });
    const before = await reader.query(query);
    let isOver = false;
    const scans = Promise.all([
      reader.query(query),
      reader.count('', EVEN),
      // These have to wait.
      reader.count('', EVEN),
      reader.query(query),
    ]).finally(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    // The rows of these are used again once nobody can see them.
    for (let round = 0; round < 5 && !isOver; round++) {
      const ids = Array.from({ length: 400 }, (_, i) => `r${RECORDS - 1 - i - 400 * round}`);
      await writer.deleteIds('', ids);
      await writer.upsert(
        '',
        ids.map((id) => dense(`${id} again`, [1, -5], { even: false })),
      );
    }
    const [matches, count, ...later] = await scans;
    assert.deepEqual(matches, before);
    assert.equal(count, RECORDS / 2);
    assert.ok(later[0] <= RECORDS / 2, `${later[0]}`);
    assert.equal(later[1].length, 100);
    await index.close();
  });

  it('keep no memory that a namespace leaves, whose rows they may be reading', async (test) => {
    slowDown(test);
    const index = openInProcess(sampleProfile({ dimension: 2, metric: 'dotproduct' }), tempFolder(test), {
      directRecordsMax: 0,
      scannedAtOnceMax: 0,
      history: { bounds: BOUNDS },
    });
    const { reader, writer, parts } = index;
    for (let first = 0; first < RECORDS; first += 1_000)
      await writer.upsert(
        '',
        Array.from({ length: 1_000 }, (_, i) =>
          dense(`r${first + i}`, [1, first + i], { even: i % 2 === 0 }),
        ),
      );
    await writer.branches.create({ name: 'branch', source: '', asOf: null });
    const then = await reader.lsn();
    for (const [name, scan] of [
      ['a branch', () => reader.count('branch', EVEN)],
      ['the past', () => reader.asOf({ lsn: then }).count('', EVEN)],
    ] as const) {
      // Into memory.
      assert.equal(await reader.count('', EVEN), RECORDS / 2);
      await parts.loaded.settled();
      const allocator = parts.loaded.segments()[0]?.context.allocator;
      assert.ok(allocator !== undefined);
      let isOver = false;
      const counted = scan().finally(() => {
        isOver = true;
      });
      await new Promise(setImmediate);
      const before = allocator.framesFree;
      parts.loaded.dropAll();
      while (!isOver && allocator.framesFree <= before) await new Promise(setImmediate);
      assert.equal(isOver, false, name);
      assert.equal(await counted, RECORDS / 2);
    }
    await index.close();
  });

  it('score texts of a branch in slices', async (test) => {
    slowDown(test);
    const index = openInProcess(sampleProfile(TEXTS_ONLY), tempFolder(test), ON_DISK);
    const { reader, writer } = index;
    for (let first = 0; first < 5_000; first += 1_000)
      await writer.upsert(
        '',
        Array.from({ length: 1_000 }, (_, i) =>
          document(`d${first + i}`, { text: `common w${first + i}` }, null),
        ),
      );
    await writer.branches.create({ name: 'branch', source: '', asOf: null });
    const found = () => reader.query(sampleQuery({ namespace: 'branch', text: term('text', 'w4321') }));
    assert.ok((await turnsDuring(found)) > 2);
    assert.deepEqual(
      (await found()).map(({ id }) => id),
      ['d4321'],
    );
    await index.close();
  });

  it('end when their index closes', async (test) => {
    const index = await setUp(test);
    const { reader } = index;
    const scans = Array.from({ length: 8 }, () => reader.count('', EVEN));
    const ended = Promise.all(scans.map((scan) => assert.rejects(scan, { condition: 'index-not-found' })));
    await new Promise(setImmediate);
    await index.close();
    await ended;
  });
});
