// Gaps of the recovery log: an index that a moment lacks is named, and never taken for an empty one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basesPrefix, keysWith } from './log-format.ts';
import { Unrecoverable } from './plan-recovery.ts';
import { listTimelines } from './read-timelines.ts';
import { DAY_MS, RecoveryFixture } from './testing/recovery-fixture.ts';
import { modelAt, shipQuietly } from './testing/recovery-log.ts';

/** A write that is in no log any more when the shipper looks. */
function writeAndDrop(fixture: RecoveryFixture, storage: string): void {
  fixture.write(storage);
  const index = fixture.indexes.get(storage);
  assert.ok(index !== undefined);
  index.droppedUpTo = 1;
}

describe('gaps of the recovery log', () => {
  it('says which indexes a moment lacks after a gap, until a copy of them is whole', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper();
    for (const storage of ['a', 'b']) fixture.write(storage);
    await shipper.ship();
    const before = fixture.now;
    fixture.write('a');
    const index = fixture.indexes.get('a');
    assert.ok(index !== undefined);
    index.droppedUpTo = 2;
    fixture.now += 1_000;
    const within = fixture.now;
    fixture.now += 1_000;
    await shipQuietly(shipper);
    fixture.now += 60_000;
    await shipQuietly(shipper);
    const { made, plan } = await fixture.recovered(within);
    assert.deepEqual([...made], [['b', [1]]]);
    assert.match(plan.missing.get('a') ?? '', /history begins after write 2/);
    assert.deepEqual((await fixture.recovered(null)).made, modelAt(fixture, fixture.now));
    // The first look came a moment after these writes.
    await assert.rejects(fixture.recovered(before - 1), Unrecoverable);
  });

  it('never takes an index without a copy for an empty one, behind a restart and a lost answer', async (test) => {
    const fixture = new RecoveryFixture(test);
    for (const storage of ['a', 'b']) {
      writeAndDrop(fixture, storage);
    }
    const first = await fixture.shipper();
    fixture.now += 1_000;
    await first.ship();
    await first.settled();
    assert.match((await fixture.lacking()) ?? '', /index b/);
    // The catalog is stored as a whole again: nothing before it is read for an index that has no copy.
    const second = await fixture.shipper();
    // The catalog's mark and the object are stored; then the part of the copy is, and its manifest, without an answer.
    fixture.faults = [null, null, null, 'answer-lost'];
    fixture.now += 1_000;
    await second.ship();
    await second.settled();
    assert.equal(fixture.failures.length, 1);
    fixture.write('b');
    fixture.now += 1_000;
    await second.ship();
    await second.settled();
    const said = (await fixture.lacking()) ?? '';
    assert.match(said, /index b/);
    assert.doesNotMatch(said, /index a/, 'its copy was whole before the restart');
    fixture.now += 60_000;
    await second.ship();
    await second.settled();
    assert.equal(await fixture.lacking(), null);
    assert.deepEqual((await fixture.recovered(null)).made, modelAt(fixture, fixture.now));
  });

  it('says what is missing when copies have failed for longer than moments are kept', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper({ keptMs: 2 * DAY_MS });
    const write = () => {
      fixture.write('idle');
      const index = fixture.indexes.get('idle');
      if (index !== undefined) index.droppedUpTo = index.writes.length;
    };
    write();
    await shipper.ship();
    await shipper.settled();
    fixture.now += 1_000;
    write();
    fixture.copiesFail = true;
    for (let hour = 0; hour < 24 * 5; hour += 6) {
      write();
      fixture.now += 6 * 3_600_000;
      await shipper.ship();
      await shipper.settled();
    }
    assert.match((await fixture.lacking()) ?? '', /index idle/);
  });

  it('names an index whose copy was lost from the storage', async (test) => {
    const fixture = new RecoveryFixture(test);
    writeAndDrop(fixture, 'a');
    const first = await fixture.shipper();
    fixture.now += 1_000;
    await first.ship();
    await first.settled();
    fixture.now += 120_000;
    await (await fixture.shipper()).ship();
    assert.equal(await fixture.lacking(), null);
    const blobs = await fixture.blobs();
    const [timeline] = await listTimelines(blobs);
    for await (const key of keysWith(blobs, basesPrefix(timeline?.id ?? ''))) await blobs.delete(key);
    assert.match((await fixture.lacking()) ?? '', /index a: no copy of it was whole/);
  });
});
