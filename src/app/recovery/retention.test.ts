// What is removed from the recovery log: all that no kept moment needs, and nothing that one needs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basesPrefix, keysWith, once } from './log-format.ts';
import { Unrecoverable } from './plan-recovery.ts';
import { listTimelines, readTimeline } from './read-timelines.ts';
import { removeOldLog } from './retention.ts';
import { newState } from './shipping-state.ts';
import { DAY_MS, RecoveryFixture } from './testing/recovery-fixture.ts';
import { modelAt } from './testing/recovery-log.ts';

describe('retention of the recovery log', () => {
  it('removes what no kept moment needs, and nothing that one needs', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper({ keptMs: 2 * DAY_MS });
    fixture.write('idle');
    const moments: number[] = [];
    for (let hour = 0; hour < 24 * 6; hour += 6) {
      fixture.write('busy');
      moments.push(fixture.now);
      fixture.now += 6 * 3_600_000;
      await shipper.ship();
      await shipper.settled();
    }
    for (let i = 0; i < 3; i++) {
      fixture.now += 3_700_000;
      await shipper.ship();
      await shipper.settled();
    }
    const blobs = await fixture.blobs();
    const [timeline] = await listTimelines(blobs);
    const content = await readTimeline(blobs, timeline?.id ?? '');
    assert.ok((content.numbers[0] ?? 0) > 4, 'early objects are gone');
    assert.ok(content.bases.length <= 5, `${content.bases.length} copies are left`);
    const kept = moments.filter((moment) => moment >= fixture.now - 2 * DAY_MS);
    assert.ok(kept.length >= 4);
    for (const moment of kept)
      assert.deepEqual((await fixture.recovered(moment)).made, modelAt(fixture, moment));
  });

  it('removes nothing that a recovery needs which is about to begin', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper({ keptMs: 2 * DAY_MS });
    const shipLater = async (ms: number) => {
      fixture.write('a');
      await shipper.ship();
      await shipper.settled();
      fixture.now += ms;
    };
    await shipLater(DAY_MS);
    const first = fixture.now - DAY_MS;
    const release = shipper.hold(first);
    for (let i = 0; i < 6; i++) await shipLater(DAY_MS + 1);
    assert.deepEqual((await fixture.recovered(first)).made, modelAt(fixture, first));
    release();
    for (let i = 0; i < 3; i++) await shipLater(DAY_MS + 1);
    await assert.rejects(fixture.recovered(first), Unrecoverable);
  });

  it('removes the parts of copies that failed, and none of one that is being made or is whole', async (test) => {
    const fixture = new RecoveryFixture(test);
    const blobs = await fixture.blobs();
    const { now } = fixture;
    const state = newState('t');
    const put = async (at: number, name: string) => {
      const id = `${at.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-')}-7000-8000-000000000000`;
      const key = `${basesPrefix('t')}a/${id}/${name}`;
      await blobs.put(key, once(Buffer.from('x')));
      return { id, key };
    };
    for (const part of ['part-000000', 'part-000001']) await put(now - 2 * DAY_MS, part);
    // It is whole: a crash kept the server from noting it.
    const whole = await put(now - 3 * DAY_MS, 'manifest.json');
    const known = await put(now - 9 * DAY_MS, 'manifest.json');
    await put(now - 10 * DAY_MS, 'manifest.json');
    // A recovery to the earliest kept moment begins with it.
    const used = await put(now - 8 * DAY_MS, 'manifest.json');
    const running = await put(now - 4 * DAY_MS, 'part-000000');
    const young = await put(now - DAY_MS / 2, 'part-000000');
    const base = { id: known.id, lsn: 1, at: now - 9 * DAY_MS, number: 1, bytes: 1, next: null };
    state.storages.a = { lsn: 1, isBroken: false, bytes: 0, droppedAt: null, bases: [base] };
    await removeOldLog({
      ...{ blobs, state, installation: 'i', now, before: now - 7 * DAY_MS },
      isCopying: (id) => id === running.id,
      signal: new AbortController().signal,
    });
    const left = await Array.fromAsync(keysWith(blobs, basesPrefix('t')));
    assert.deepEqual(left, [whole, known, used, running, young].map(({ key }) => key).sort());
  });
});
