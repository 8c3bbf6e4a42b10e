// Guarantees of the recovery log: whatever fails and whoever restarts, each moment that was shipped comes back exactly.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { orderedIdAt } from '../../domain/ids.ts';
import type { Index } from '../../domain/index-model.ts';
import { until } from '../../platform/testing/until.ts';
import {
  basesPrefix,
  keysWith,
  LogDamaged,
  logKey,
  logPrefix,
  once,
  RECOVERY_FORMAT,
  RECOVERY_PREFIX,
  sealed,
  timelineKey,
} from './log-format.ts';
import { planStorage, Unrecoverable } from './plan-recovery.ts';
import { listTimelines, readTimeline } from './read-timelines.ts';
import { removeOldLog } from './retention.ts';
import { newState, STATE_FILE } from './shipping-state.ts';
import { type BlobFault, DAY_MS, RecoveryFixture } from './testing/recovery-fixture.ts';

const RUNS = process.env.PINYON_TESTS === 'long' ? 500 : 25;
const STORAGES = ['a', 'b', 'c'];

type Step =
  | { readonly kind: 'write'; readonly storage: string }
  | { readonly kind: 'ship'; readonly faults: readonly (BlobFault | null)[] }
  | { readonly kind: 'restart' }
  | { readonly kind: 'forget'; readonly storage: string }
  | { readonly kind: 'lose'; readonly object: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('write' as const), storage: fc.constantFrom(...STORAGES) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('ship' as const),
      faults: fc.array(fc.constantFrom(null, null, 'refused' as const, 'answer-lost' as const), {
        maxLength: 4,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('forget' as const), storage: fc.constantFrom(...STORAGES) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), object: fc.nat() }) },
);

/** Objects of the log of the first timeline, in their order. */
async function logKeys(fixture: RecoveryFixture): Promise<readonly string[]> {
  const [timeline] = fixture.timelines;
  if (timeline === undefined) return [];
  return Array.fromAsync(keysWith(await fixture.blobs(), logPrefix(timeline)));
}

async function lose(fixture: RecoveryFixture, object: number): Promise<void> {
  const keys = await logKeys(fixture);
  const key = keys[object % keys.length];
  if (key !== undefined) await (await fixture.blobs()).delete(key);
}

/** The writes of each index up to a moment. */
function modelAt(fixture: RecoveryFixture, moment: number): ReadonlyMap<string, readonly number[]> {
  const at = new Map<string, readonly number[]>();
  for (const [id, { writes }] of fixture.indexes)
    at.set(
      id,
      writes.filter(({ ms }) => ms <= moment).map(({ lsn }) => lsn),
    );
  return at;
}

async function shipQuietly(shipper: { ship(): Promise<void>; settled(): Promise<void> }): Promise<boolean> {
  const isShipped = await shipper.ship().then(
    () => true,
    () => false,
  );
  await shipper.settled();
  return isShipped;
}

describe('the recovery log', () => {
  it('brings each shipped moment back, through failures, lost answers and objects, restarts and gaps', async (test) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), fc.nat(), async (steps, at) => {
        const fixture = new RecoveryFixture(test);
        let shipper = await fixture.shipper();
        for (const each of steps) {
          if (each.kind === 'write') fixture.write(each.storage);
          else if (each.kind === 'restart') shipper = await fixture.shipper();
          else if (each.kind === 'lose') await lose(fixture, each.object);
          else if (each.kind === 'forget') {
            const index = fixture.indexes.get(each.storage);
            if (index !== undefined) index.droppedUpTo = index.writes.length;
          } else {
            fixture.now += 1_000;
            fixture.faults = [...each.faults];
            await shipQuietly(shipper);
          }
        }
        fixture.faults = [];
        const isLost = steps.some(({ kind }) => kind === 'lose');
        // The last look, after whatever copies are needed.
        for (let i = 0; i < (isLost ? 6 : 3); i++) {
          fixture.now += isLost && i === 0 ? 3_600_000 : 60_000;
          assert.ok(await shipQuietly(shipper), String(fixture.failures.at(-1)));
        }
        const all = await fixture.recovered(null);
        assert.deepEqual(all.made, modelAt(fixture, fixture.now));
        assert.equal(all.version, fixture.version);
        const writes = [...fixture.indexes.values()].flatMap((index) => index.writes);
        const moment = writes[at % Math.max(1, writes.length)]?.ms ?? fixture.now;
        const model = modelAt(fixture, moment);
        try {
          const { made, plan } = await fixture.recovered(moment);
          for (const [storage, lsns] of made) assert.deepEqual(lsns, model.get(storage), storage);
          for (const [storage, lsns] of model)
            assert.ok(
              made.has(storage) ||
                plan.missing.has(storage) ||
                lsns.length === 0 ||
                !plan.storages.has(storage),
            );
        } catch (error) {
          // Before the first catalog was shipped.
          if (!(error instanceof Unrecoverable)) throw error;
        }
        assert.equal(fixture.timelines.length, 1);
        rmSync(fixture.folder, { recursive: true });
      }),
      { seed: 65, numRuns: RUNS },
    );
  });

  it('brings each moment back after writes of a clock that was ahead', async (test) => {
    const writes = fc.array(fc.record({ storage: fc.constantFrom(...STORAGES), isAhead: fc.boolean() }));
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 2, maxLength: 8 }), async (looks) => {
        const fixture = new RecoveryFixture(test);
        const shipper = await fixture.shipper();
        const shipped: { readonly at: number; readonly made: ReadonlyMap<string, readonly number[]> }[] = [];
        for (const written of [[], ...looks, []]) {
          for (const { storage, isAhead } of written) {
            if (isAhead) fixture.now += 3 * DAY_MS;
            fixture.write(storage);
            if (isAhead) fixture.now -= 3 * DAY_MS;
          }
          fixture.now += 60_000;
          assert.ok(await shipQuietly(shipper));
          shipped.push({ at: fixture.now, made: modelAt(fixture, Number.POSITIVE_INFINITY) });
        }
        for (const { at, made } of shipped.slice(0, -1)) {
          const found = (await fixture.recovered(at + 1)).made;
          for (const [storage, lsns] of made) assert.deepEqual(found.get(storage), lsns);
        }
        assert.equal(fixture.timelines.length, 1);
        rmSync(fixture.folder, { recursive: true });
      }),
      { seed: 66, numRuns: RUNS },
    );
  });

  it('has no catalog that knows of writes which the log does not have, whatever is written during a look', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper();
    for (const storage of ['a', 'b']) fixture.write(storage);
    let isWriting = true;
    fixture.atRead = () => {
      if (!isWriting) return;
      isWriting = false;
      fixture.write('a');
    };
    await shipper.ship();
    const { made, version } = await fixture.recovered(null);
    assert.deepEqual([...made.values()].flat().length, 2);
    assert.equal(version, 3, 'the version counts the writes, from 1 on');
  });

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

  it('goes on where the clock is set back during a look, and says how long nothing was shipped', async (test) => {
    const fixture = new RecoveryFixture(test);
    const shipper = await fixture.shipper({ intervalMs: 5 });
    fixture.write('a');
    let looks = 0;
    fixture.atRead = () => {
      looks++;
      if (looks === 1) fixture.now -= DAY_MS;
    };
    shipper.start();
    await until(async () => fixture.timelines.length === 2 && looks > 1, 'the look after the first');
    await shipper.close(AbortSignal.timeout(10_000));
    const { lagSeconds } = shipper.figures();
    fixture.now += DAY_MS;
    fixture.now -= 2 * DAY_MS;
    assert.equal(shipper.figures().lagSeconds - lagSeconds, DAY_MS / 1_000);
  });

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
      fixture.write(storage);
      const index = fixture.indexes.get(storage);
      assert.ok(index !== undefined);
      index.droppedUpTo = 1;
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
    fixture.write('a');
    const index = fixture.indexes.get('a');
    assert.ok(index !== undefined);
    index.droppedUpTo = 1;
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
