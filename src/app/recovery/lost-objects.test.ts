// Lost and damaged objects of the recovery log: they are named, and new copies make them needless.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Index } from '../../domain/index-model.ts';
import { LogDamaged, logKey, logPrefix, once } from './log-format.ts';
import { planStorage, Unrecoverable } from './plan-recovery.ts';
import { listTimelines, readTimeline } from './read-timelines.ts';
import { DAY_MS, RecoveryFixture } from './testing/recovery-fixture.ts';
import { logKeys, lose, modelAt, shipQuietly } from './testing/recovery-log.ts';

describe('lost objects of the recovery log', () => {
  it('names an object that is missing and the last moment before, which it recovers', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper();
    for (let i = 0; i < 6; i++) {
      fixture.write('a');
      await shipper.ship();
    }
    const blobs = await fixture.blobs();
    const [timeline] = await listTimelines(blobs);
    const { numbers } = await readTimeline(blobs, timeline?.id ?? '');
    const lost = `${logPrefix(timeline?.id ?? '')}${String(numbers[3]).padStart(12, '0')}`;
    await blobs.delete(lost);
    const error = await fixture.recovered(null).catch((reason: unknown) => reason);
    assert.ok(error instanceof Unrecoverable && error.cause instanceof LogDamaged, String(error));
    assert.ok(error.message.startsWith(`${lost} is missing. The last moment before it is `), error.message);
    const before = Date.parse(/is (\S+): give/.exec(error.message)?.[1] ?? '');
    assert.deepEqual((await fixture.recovered(before)).made, modelAt(fixture, before));
  });

  it('keeps idle indexes recoverable whose files were away for a look, broken or not', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper({ keptMs: 2 * DAY_MS });
    for (const storage of ['whole', 'broken']) fixture.write(storage);
    fixture.copiesFail = true;
    const broken = fixture.indexes.get('broken');
    assert.ok(broken !== undefined);
    broken.droppedUpTo = 1;
    const look = async () => {
      fixture.now += 60_000;
      await shipper.ship();
      await shipper.settled();
    };
    await look();
    const there = [...fixture.indexes];
    fixture.indexes.clear();
    await look();
    for (const [id, index] of there) fixture.indexes.set(id, index);
    await look();
    assert.equal(shipper.figures().incomplete, 1);
    fixture.copiesFail = false;
    for (let day = 0; day < 5; day++) {
      fixture.now += DAY_MS;
      await look();
    }
    assert.deepEqual((await fixture.recovered(null)).made, modelAt(fixture, fixture.now));
    assert.equal(shipper.figures().incomplete, 0);
  });

  it('makes copies at once where objects were lost, and says so once', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper();
    const look = async (ms: number) => {
      fixture.now += ms;
      assert.ok(await shipQuietly(shipper), String(fixture.failures.at(-1)));
    };
    for (let i = 0; i < 6; i++) {
      fixture.write('busy');
      if (i < 2) fixture.write('idle');
      await look(1_000);
    }
    const spansOf = (storage: string) =>
      shipper.spans({ versions: [{ from: 0, index: { id: storage } as Index }], to: null });
    const lostAt = fixture.now - 4_000;
    for (const object of [3, 3]) await lose(fixture, object);
    assert.equal(shipper.figures().incomplete, 0);
    await look(3_600_000);
    assert.deepEqual([fixture.failures.length, shipper.figures().failures], [1, 1]);
    assert.match(String(fixture.failures[0]), /log\/000000000004 is missing/);
    assert.deepEqual(spansOf('idle').length, 1);
    for (let i = 0; i < 3; i++) await look(60_000);
    assert.equal(shipper.figures().incomplete, 0);
    assert.deepEqual((await fixture.recovered(null)).made, modelAt(fixture, fixture.now));
    for (const storage of ['busy', 'idle']) {
      const [before, behind] = spansOf(storage);
      assert.ok(before !== undefined && before.to < lostAt, storage);
      assert.ok(behind !== undefined && behind.from > lostAt, storage);
    }
    fixture.write('busy');
    await look(3_600_000);
    assert.equal(fixture.failures.length, 1);
    assert.equal(fixture.timelines.length, 1);
  });

  it('needs nothing of a damaged object from the next day on, also for idle indexes', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper();
    for (let i = 0; i < 6; i++) {
      fixture.write('busy');
      if (i === 0) fixture.write('idle');
      fixture.now += 1_000;
      assert.ok(await shipQuietly(shipper));
    }
    const damaged = (await logKeys(fixture))[3] ?? '';
    await (await fixture.blobs()).put(damaged, once(Buffer.alloc(100)));
    await assert.rejects(fixture.recovered(null), /The last moment before it is/);
    for (let i = 0; i < 3; i++) {
      fixture.now += DAY_MS + 1;
      assert.ok(await shipQuietly(shipper));
    }
    assert.deepEqual((await fixture.recovered(null)).made, modelAt(fixture, fixture.now));
  });

  it('names indexes whose writes may be in a lost object, and recovers the others', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper();
    for (let i = 0; i < 5; i++) {
      if (i < 4) fixture.write('busy');
      if (i === 0) fixture.write('idle');
      if (i === 4) fixture.write('new');
      fixture.now += 1_000;
      assert.ok(await shipQuietly(shipper));
    }
    const [timeline = ''] = fixture.timelines;
    const blobs = await fixture.blobs();
    const content = await readTimeline(blobs, timeline);
    await blobs.delete(logKey(timeline, 2));
    const early = await planStorage(blobs, { ...content, numbers: [1, 2, 3] }, fixture.now);
    const loss = /^writes may be lost: .*log\/000000000002 is missing, the last moment before it is 2026/;
    assert.match(early.missing.get('idle') ?? '', loss);
    assert.match(early.missing.get('busy') ?? '', loss);
    // A later object says that nothing was written to the idle one.
    const plan = await planStorage(blobs, content, fixture.now);
    assert.deepEqual([...plan.storages.keys()], ['idle', 'new']);
    assert.match(plan.missing.get('busy') ?? '', loss);
    assert.deepEqual((await fixture.recoveredStorage(plan, 'new')).made, [1]);
  });
});
