// Timelines of the recovery log: one for each history of a server, and all of them can be recovered.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { orderedIdAt } from '../../domain/ids.ts';
import {
  keysWith,
  logPrefix,
  once,
  RECOVERY_FORMAT,
  RECOVERY_PREFIX,
  sealed,
  timelineKey,
} from './log-format.ts';
import { listTimelines } from './read-timelines.ts';
import { STATE_FILE } from './shipping-state.ts';
import { DAY_MS, RecoveryFixture } from './testing/recovery-fixture.ts';
import { modelAt, shipQuietly } from './testing/recovery-log.ts';

describe('timelines of the recovery log', () => {
  it('begins a timeline where the clock was set back, and brings moments of both back', async (test) => {
    const fixture = new RecoveryFixture(test);
    let shipper = await fixture.shipper();
    const look = async () => {
      fixture.write('a');
      fixture.now += 60_000;
      assert.ok(await shipQuietly(shipper), String(fixture.failures.at(-1)));
      return { at: fixture.now, made: modelAt(fixture, Number.POSITIVE_INFINITY) };
    };
    const early = [await look(), await look()];
    fixture.now += 3 * DAY_MS;
    await look();
    // Also where the timeline itself began then.
    rmSync(join(fixture.folder, STATE_FILE));
    shipper = await fixture.shipper();
    await look();
    fixture.now -= 3 * DAY_MS;
    const late = [await look(), await look(), await look()];
    assert.equal(fixture.timelines.length, 3);
    for (const { at, made } of late.slice(1, -1))
      assert.deepEqual((await fixture.recovered(at + 1)).made, made);
    assert.deepEqual((await fixture.recovered(null)).made, late.at(-1)?.made);
    await assert.rejects(fixture.recovered(early[0]?.at ?? 0), /The first moment that can be recovered is/);
    const [first] = fixture.timelines;
    for (const { at, made } of early) assert.deepEqual((await fixture.recovered(at, first)).made, made);
    assert.equal(shipper.figures().lagSeconds, 0);
  });

  for (const isLost of [true, false])
    it(`has the latest timeline sort last behind one of a clock that was ahead, ${isLost ? 'on another machine' : 'after a restart'}`, async (test) => {
      const fixture = new RecoveryFixture(test);
      fixture.write('a');
      await (await fixture.shipper()).ship();
      const blobs = await fixture.blobs();
      const [own] = await listTimelines(blobs);
      assert.ok(own !== undefined);
      const ahead = { ...own, id: orderedIdAt(fixture.now + 300 * DAY_MS) };
      await blobs.put(timelineKey(ahead), once(sealed({ format: RECOVERY_FORMAT, ...ahead })));
      if (isLost) rmSync(join(fixture.folder, STATE_FILE));
      const shipper = await fixture.shipper();
      for (let i = 0; i < 3; i++) {
        fixture.write('a');
        fixture.now += 60_000;
        assert.ok(await shipQuietly(shipper), String(fixture.failures.at(-1)));
      }
      const ids = (await listTimelines(blobs)).map(({ id }) => id);
      assert.deepEqual(ids, [own.id, ahead.id, fixture.timelines.at(-1)]);
      assert.deepEqual((await fixture.recovered(null)).made.get('a'), [1, 2, 3, 4]);
    });

  it('removes timelines that ended long ago, also where their last moment has not come or is damaged', async (test) => {
    const fixture = new RecoveryFixture(test);
    fixture.now = Date.now() + 300 * DAY_MS;
    const look = async () => {
      fixture.write('a');
      fixture.now += 60_000;
      const shipper = await fixture.shipper({ keptMs: DAY_MS });
      assert.ok(await shipQuietly(shipper), String(fixture.failures.at(-1)));
    };
    await look();
    const files = join(fixture.folder, 'blobs', 'recovery');
    for (const file of readdirSync(files, { recursive: true, encoding: 'utf8' }))
      utimesSync(join(files, file), fixture.now / 1_000, fixture.now / 1_000);
    fixture.now = Date.now();
    await look();
    rmSync(join(fixture.folder, STATE_FILE));
    await look();
    const [ahead, damaged, present] = fixture.timelines;
    const blobs = await fixture.blobs();
    const keys = await Array.fromAsync(keysWith(blobs, logPrefix(damaged ?? '')));
    await blobs.put(keys.at(-1) ?? '', once(Buffer.from('damaged')));
    const left = async () => (await listTimelines(blobs)).map(({ id }) => id);
    assert.deepEqual(await left(), [ahead, damaged, present]);
    fixture.now += 2 * DAY_MS;
    await look();
    assert.deepEqual(await left(), [present]);
  });

  it('never lets two servers ship into one timeline', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper();
    fixture.write('a');
    await shipper.ship();
    // A copy of the data directory, started elsewhere.
    const copy = mkdtempSync(join(tmpdir(), 'pinyon-copy-'));
    test.after(() => rmSync(copy, { recursive: true }));
    cpSync(join(fixture.folder, STATE_FILE), join(copy, STATE_FILE));
    const other = await fixture.shipper({ dataDir: copy });
    fixture.write('a');
    await other.ship();
    fixture.write('a');
    await assert.rejects(shipper.ship(), /goes on in another timeline/);
    await shipper.ship();
    await shipper.settled();
    fixture.now += 60_000;
    await shipper.ship();
    const [first, second] = await listTimelines(await fixture.blobs());
    assert.deepEqual(fixture.timelines, [first?.id, second?.id]);
    assert.deepEqual((await fixture.recovered(null, first?.id)).made.get('a'), [1, 2]);
    assert.deepEqual((await fixture.recovered(null, second?.id)).made.get('a'), [1, 2, 3]);
  });

  it('begins a timeline of its own where its place is lost, or the data directory was put back', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper();
    fixture.write('a');
    await shipper.ship();
    const saved = mkdtempSync(join(tmpdir(), 'pinyon-saved-'));
    test.after(() => rmSync(saved, { recursive: true }));
    cpSync(join(fixture.folder, STATE_FILE), join(saved, STATE_FILE));
    fixture.write('a');
    await shipper.ship();
    cpSync(join(saved, STATE_FILE), join(fixture.folder, STATE_FILE));
    const restored = await fixture.shipper();
    fixture.write('a');
    await assert.rejects(restored.ship(), /goes on in another timeline/);
    await restored.ship();
    const blobs = await fixture.blobs();
    for await (const key of keysWith(blobs, RECOVERY_PREFIX)) await blobs.delete(key);
    const emptied = await fixture.shipper();
    fixture.write('a');
    await emptied.ship();
    assert.equal(fixture.timelines.length, 3);
    assert.deepEqual((await fixture.recovered(null)).made.get('a'), [1, 2, 3, 4]);
  });
});
