// Large namespaces are loaded before the first query.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { type InProcessOptions, openInProcess } from '../in-process-index.ts';
import { stagedName } from '../storage/staged-names.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { DerivedLedger } from './derived-ledger.ts';
import { PrefetchQueue } from './prefetch-queue.ts';
import { SegmentCheckpointer } from './segment-checkpointer.ts';

/** At least a round of the index's upkeep. */
const ROUND_MS = 2_000;

const space = (namespaceId: number, records = 20_000) => ({
  namespaceId,
  records,
  filterable: null,
  otherBytes: 0,
});

describe('namespaces that are written to', () => {
  it('are due once their writers have paused for a round, as they were last seen', () => {
    const ahead = new PrefetchQueue();
    ahead.note(space(1));
    ahead.note(space(1, 30_000));
    assert.equal(ahead.takeDue(), null);
    assert.deepEqual(ahead.takeDue(), space(1, 30_000));
    assert.equal(ahead.takeDue(), null);
  });

  it('are due one at a time', () => {
    const ahead = new PrefetchQueue();
    for (const namespaceId of [1, 2, 3]) ahead.note(space(namespaceId));
    const due = Array.from({ length: 6 }, () => ahead.takeDue()?.namespaceId ?? null);
    assert.deepEqual(due.toSorted(), [1, 2, 3, null, null, null]);
    assert.equal(due[0], null);
  });

  it('are due in the end when their writers never pause', () => {
    const ahead = new PrefetchQueue();
    const rounds = Array.from({ length: 40 }, () => {
      ahead.note(space(1));
      return ahead.takeDue();
    });
    assert.deepEqual(
      rounds.flatMap((due, round) => (due === null ? [] : round)),
      [15, 31],
    );
  });

  it('are not due when they have been forgotten', () => {
    const ahead = new PrefetchQueue();
    for (const namespaceId of [1, 2]) ahead.note(space(namespaceId));
    ahead.forget(1);
    ahead.takeDue();
    assert.deepEqual(ahead.takeDue(), space(2));
    ahead.note(space(3));
    ahead.forgetAll();
    ahead.takeDue();
    assert.equal(ahead.takeDue(), null);
  });
});

describe('an index that nobody searches', () => {
  const maintenanceLimits = { graphRecordsMin: 500, unindexedSlotsMin: 16 };
  const profile = sampleProfile({ metric: 'cosine', dimension: 8 });

  async function filled(test: TestContext, options: InProcessOptions = {}) {
    test.mock.timers.enable({ apis: ['setInterval'] });
    const index = openInProcess(profile, tempFolder(test), { maintenanceLimits, ...options });
    test.after(() => index.close());
    const records = new RandomRecords(profile, 1);
    await index.writer.upsert('large', records.records(0, 1_200));
    const { loaded } = index.parts;
    const afterRounds = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        test.mock.timers.tick(ROUND_MS);
        await loaded.settled();
      }
      return loaded
        .segments()
        .map(({ liveCount, graphIndex: { graph } }) => ({ liveCount, hasGraph: graph !== null }));
    };
    return { index, records, afterRounds };
  }

  it('loads a namespace and builds its graph when enough has been written, and no small or hidden one', async (test) => {
    const { index, records, afterRounds } = await filled(test);
    await index.writer.upsert('small', records.records(0, 400));
    await index.writer.staging.stage('import', [{ name: 'hidden', schema: null }]);
    await index.writer.upsert(stagedName('import', 'hidden'), records.records(0, 700));
    assert.deepEqual(await afterRounds(1), []);
    assert.deepEqual(await afterRounds(4), [{ liveCount: 1_200, hasGraph: true }]);
    await index.writer.staging.publish('import');
    assert.deepEqual((await afterRounds(4)).map(({ liveCount }) => liveCount).toSorted(), [1_200, 700]);
  });

  it('loads a namespace at once when its writes make it large, and indexes what follows', async (test) => {
    const { index, records, afterRounds } = await filled(test);
    const { loaded } = index.parts;
    const sizes = async () => {
      await loaded.settled();
      return loaded.segments().map(({ liveCount }) => liveCount);
    };
    for (const [first, inMemory] of [
      [0, []],
      [400, [800]],
      [800, [1_200]],
    ] as const) {
      await index.writer.upsert('growing', records.records(first, 400));
      assert.deepEqual(await sizes(), inMemory);
    }
    assert.equal((await afterRounds(0))[0]?.hasGraph, true);
  });

  it('loads again what was in memory before a restart, and nothing else', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] });
    const folder = join(tempFolder(test), 'index');
    const options = { maintenanceLimits, directRecordsMax: 0, saveIdleMs: 1 };
    const first = openInProcess(profile, folder, options);
    const records = new RandomRecords(profile, 1);
    for (const name of ['searched', 'other']) await first.writer.upsert(name, records.records(0, 1_200));
    await first.reader.query({ ...records.query('searched'), topK: 3, filter: null });
    const { loaded, checkpointer } = first.parts;
    await loaded.settled();
    await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the file');
    await first.close();
    const second = openInProcess(profile, folder, options);
    test.after(() => second.close());
    assert.deepEqual(second.parts.loaded.namespaces(), []);
    for (let round = 0; round < 4; round++) {
      test.mock.timers.tick(ROUND_MS);
      await second.parts.loaded.settled();
    }
    assert.deepEqual(
      second.parts.loaded.namespaces().map(({ namespaceId }) => namespaceId),
      [1],
    );
  });

  it('keeps the files of namespaces that wait for their load, however long the change log is', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval'] });
    const folder = join(tempFolder(test), 'index');
    const options = { maintenanceLimits, directRecordsMax: 0, saveIdleMs: 1 };
    const first = openInProcess(profile, folder, options);
    const records = new RandomRecords(profile, 1);
    const { loaded, checkpointer } = first.parts;
    for (const name of ['one', 'two', 'three']) {
      await first.writer.upsert(name, records.records(0, 1_200));
      await first.reader.query({ ...records.query(name), topK: 3, filter: null });
    }
    await loaded.settled();
    await until(() => loaded.segments().every((segment) => checkpointer.isSaved(segment)), 'the files');
    await first.close();
    // None is overdue, or it would be saved all the time.
    test.mock.method(DerivedLedger.prototype, 'backlog', () => ({ least: 2e7, most: 0 }));
    const discarding = test.mock.method(SegmentCheckpointer.prototype, 'discard').mock;
    const second = openInProcess(profile, folder, options);
    test.after(() => second.close());
    for (let round = 0; round < 4; round++) {
      test.mock.timers.tick(ROUND_MS);
      await second.parts.loaded.settled();
    }
    assert.equal(second.parts.loaded.namespaces().length, 3);
    assert.equal(discarding.callCount(), 0);
  });

  it('takes no memory from a namespace that was searched, however long ago, before anybody asks', async (test) => {
    const room = { framesMax: 28, arenasMax: 1, coldAfterSeconds: 0 };
    const { index, records, afterRounds } = await filled(test, room);
    const { loaded } = index.parts;
    const inMemory = () => loaded.namespaces().map(({ namespaceId }) => namespaceId);
    const ask = async (namespace: string) => {
      const matches = await index.reader.query({ ...records.query(namespace), topK: 3, filter: null });
      assert.equal(matches.length, 3);
      await loaded.settled();
    };
    await ask('large');
    assert.deepEqual(inMemory(), [1]);
    await index.writer.upsert('larger', records.records(0, 2_000));
    await afterRounds(4);
    assert.deepEqual(inMemory(), [1]);
    await ask('larger');
  });

  it('does not load what was only read or has lost records', async (test) => {
    const { index, afterRounds } = await filled(test);
    await afterRounds(4);
    index.parts.loaded.dropAll();
    await index.writer.deleteIds('large', ['r1', 'none']);
    assert.deepEqual(await afterRounds(4), []);
  });
});
