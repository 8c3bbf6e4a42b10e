// Guarantees of the moments that a server offers for single indexes.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Index } from '../../domain/index-model.ts';
import { NEW_INDEX } from '../indexes/testing/control-plane.ts';
import { IndexVersions } from './index-versions.ts';
import { planStorage } from './plan-recovery.ts';
import { readStorage } from './read-timelines.ts';
import { recoverableSpans, versionAt } from './recoverable-spans.ts';
import { DAY_MS, RecoveryFixture } from './testing/recovery-fixture.ts';

const isLong = process.env.PINYON_TESTS === 'long';
/** Which of the moments of a run are recovered: every so many. */
const EVERY = isLong ? 1 : 3;
const AT = Date.parse('2026-07-01T00:00:00Z');

function index(change: Partial<Index> = {}): Index {
  const createdAt = new Date(AT).toISOString();
  return { ...NEW_INDEX, id: 'a', projectId: 'p', state: 'Ready', port: null, createdAt, ...change };
}

describe('the moments to which an index can be recovered', () => {
  it('are none but those of which the log has every write, through gaps and restarts', async (test) => {
    const step = fc.constantFrom('write', 'write', 'write', 'ship', 'ship', 'forget', 'restart', 'refuse');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), fc.nat(), async (steps, first) => {
        const fixture = new RecoveryFixture(test);
        let shipper = await fixture.shipper();
        const moments: number[] = [];
        fixture.write('a');
        for (const each of steps) {
          if (each === 'write') fixture.write('a');
          else if (each === 'restart') shipper = await fixture.shipper();
          else if (each === 'forget') {
            const known = fixture.indexes.get('a');
            if (known !== undefined) known.droppedUpTo = known.writes.length;
          } else {
            fixture.now += 1_000;
            if (each === 'refuse') fixture.faults = ['refused'];
            await shipper.ship().catch(() => undefined);
            await shipper.settled();
            fixture.now += 30_000;
          }
          moments.push(fixture.now);
          fixture.now += 10;
        }
        fixture.faults = [];
        for (let i = 0; i < 3; i++) {
          fixture.now += 60_000;
          await shipper.ship();
          await shipper.settled();
        }
        const past = shipper.indexes().a;
        const { timeline, last } = shipper.position() ?? assert.fail('nothing was shipped');
        assert.ok(past !== undefined);
        const spans = shipper.spans(past);
        const content = await readStorage(await fixture.blobs(), timeline, { storage: 'a', last });
        const isOffered = (moment: number) => spans.some(({ from, to }) => from <= moment && moment <= to);
        for (let at = first % EVERY; at < moments.length; at += EVERY) {
          const moment = moments[at] ?? assert.fail();
          const plan = await planStorage(await fixture.blobs(), content, moment);
          const isThere = plan.storages.has('a');
          if (isOffered(moment)) {
            assert.ok(isThere, `${moment} is offered: ${plan.missing.get('a')}`);
            const { writes = [] } = fixture.indexes.get('a') ?? {};
            const { made } = await fixture.recoveredStorage(plan, 'a');
            assert.deepEqual(
              made,
              writes.filter(({ ms }) => ms <= moment).map(({ lsn }) => lsn),
            );
          }
        }
        assert.ok(isOffered(fixture.now), 'the present one');
        rmSync(fixture.folder, { recursive: true });
      }),
      { seed: 69, numRuns: isLong ? 500 : 25 },
    );
  });

  it('end before an index was deleted, change with its storage, and begin where moments are kept', () => {
    const versions = [
      { from: 100, index: index() },
      { from: 300, index: index({ storageId: 'b' }) },
    ];
    const storage = (at: number) => ({
      ...{ lsn: 1, isBroken: false, bytes: 0, droppedAt: null },
      bases: [{ id: 'x', lsn: 0, at, number: 1, bytes: 0, next: null }],
    });
    const state = {
      storages: { a: storage(0), b: storage(320) },
      completeAt: 900,
      catalogs: [{ number: 1, at: 50 }],
    };
    assert.deepEqual(recoverableSpans({ versions, to: null }, state, 0), [
      { from: 100, to: 299 },
      { from: 320, to: 900 },
    ]);
    assert.deepEqual(recoverableSpans({ versions, to: 400 }, state, 200), [
      { from: 200, to: 299 },
      { from: 320, to: 400 },
    ]);
    assert.deepEqual(recoverableSpans({ versions, to: 400 }, state, 500), []);
    assert.equal(versionAt({ versions, to: null }, 299)?.index.storageId, undefined);
    assert.equal(versionAt({ versions, to: null }, 300)?.index.storageId, 'b');
    assert.equal(versionAt({ versions, to: null }, 99), undefined);
  });
});

describe('what indexes were like', () => {
  it('is kept from when it was seen whole, through a restart, until no moment with it is kept', (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-versions-'));
    test.after(() => rmSync(folder, { recursive: true }));
    const first = new IndexVersions(folder);
    first.note('t', [index()], { at: AT + 10, before: AT - 10 });
    first.note('t', [index({ tags: { a: '1' } })], { at: AT + 20, before: AT + 10 });
    const second = new IndexVersions(folder);
    second.note('t', [index({ tags: { a: '1' } })], { at: AT + 30, before: AT + 20 });
    assert.deepEqual(
      second.indexes.a?.versions.map(({ from }) => from - AT),
      [10, 20],
    );
    second.note('t', [], { at: AT + 40, before: AT + 30 });
    assert.equal(second.indexes.a?.to, AT + 30);
    second.forget(AT + 25);
    assert.deepEqual(
      second.indexes.a?.versions.map(({ index: { tags } }) => tags),
      [{ a: '1' }],
    );
    second.forget(AT + DAY_MS);
    assert.deepEqual(second.indexes, {});
    second.note('t', [index()], { at: AT + 50, before: AT + 40 });
    const other = new IndexVersions(folder);
    other.note('u', [], { at: AT + 60, before: 0 });
    assert.deepEqual(other.indexes, {}, 'another timeline has moments of its own');
  });
});
