// Guarantees of the recovery log: whatever fails and whoever restarts, each moment that was shipped comes back exactly.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { until } from '../../platform/testing/until.ts';
import { Unrecoverable } from './plan-recovery.ts';
import { type BlobFault, DAY_MS, RecoveryFixture } from './testing/recovery-fixture.ts';
import { lose, modelAt, shipQuietly } from './testing/recovery-log.ts';

const isLong = process.env.PINYON_TESTS === 'long';
const RUNS = isLong ? 500 : 12;
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
      fc.asyncProperty(fc.array(writes, { minLength: 2, maxLength: 8 }), fc.nat(), async (looks, pick) => {
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
        const moments = shipped.slice(0, -1);
        const chosen = isLong
          ? moments
          : [moments[pick % moments.length] ?? assert.fail(), ...moments.slice(-1)];
        for (const { at, made } of chosen) {
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
});
