// The conformance suite of whole engines: time to live in an index, and in copies of it.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Clock } from '../../domain/expiry/time-to-live.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { METADATA_BYTES_MAX } from '../../domain/limits.ts';
import { effort } from '../embedded/testing/effort.ts';
import type { CheckEngine } from './engine-fixture.ts';
import { assertExpires, randomExpiry, SAMPLE_TTL } from './expiry.ts';
import { assertFault, idsOf, unchanged } from './harness.ts';
import { dense, EVERYTHING } from './sample-data.ts';

/** Declares the tests that no expired record is seen, in the index or in its copies. */
export function expiring(check: CheckEngine): void {
  const RUNS = effort({ daily: 2, long: 20 });
  check('shows no expired record at any moment, and removes them all', async ({ engine, one }) => {
    let number = 0;
    const property = fc.asyncProperty(randomExpiry, async (actions) => {
      const id = `${one.id}-${++number}`;
      const profile = { ...one, id, name: id, metric: 'euclidean' as const, timeToLive: SAMPLE_TTL };
      await engine.createIndex(profile);
      const open = (clock: Clock) => ({
        reader: engine.reader(profile, clock),
        writer: engine.writer(profile, clock),
      });
      await assertExpires(open, actions);
      await engine.dropIndex(id);
    });
    await fc.assert(property, { seed: 48, numRuns: RUNS });
  });
  check('changes records that are as large as they may be beside their moment', async ({ engine, one }) => {
    const profile = { ...one, timeToLive: SAMPLE_TTL };
    await engine.createIndex(profile);
    const writer = engine.writer(profile, () => 1_000);
    const full = { a: 'x'.repeat(METADATA_BYTES_MAX - '{"a":""}'.length) };
    await writer.upsert('', [dense('full', [1, 2, 3, 4], full), dense('small', [1, 2, 3, 4], { a: 'x' })]);
    const change = { setMetadata: { a: full.a.toUpperCase() } };
    await writer.update('', { ...unchanged('full'), ...change });
    const all = { filter: EVERYTHING, recordsMax: 9 };
    assert.equal((await writer.updateByFilter('', { ...change, ...all })).matched, 2);
    const found = await engine.reader(profile, () => 1_001).fetch('', ['full', 'small']);
    const moment = { expires_at: 1_006 };
    for (const { metadataJson } of found)
      assert.deepEqual(JSON.parse(metadataJson ?? ''), { ...change.setMetadata, ...moment });
    const more = { setMetadata: { b: 1 } };
    await assertFault('metadata-too-big', writer.update('', { ...unchanged('full'), ...more }));
    await assertFault('metadata-too-big', writer.updateByFilter('', { ...more, ...all }));
  });
  check(
    'exports moments as they are: what has expired stays so in a copy',
    async ({ engine, one, other }) => {
      const [from, to] = [one, other].map((each) => ({ ...each, timeToLive: SAMPLE_TTL })) as [
        IndexProfile,
        IndexProfile,
      ];
      await engine.createIndex(from);
      await engine
        .writer(from, () => 1_000)
        .upsert('', [dense('old', [1, 2, 3, 4]), dense('new', [1, 2, 3, 4], { expires_at: 2_000 })]);
      const copy = await engine.copies(from).export();
      await engine.copies(to).import(copy.bytes);
      await copy.release();
      assert.deepEqual(idsOf(await engine.reader(to, () => 1_005).fetch('', ['new', 'old'])), ['new', 'old']);
      assert.deepEqual(idsOf(await engine.reader(to, () => 1_006).fetch('', ['new', 'old'])), ['new']);
      const removal = await engine
        .writer(to)
        .removeExpired({ field: 'expires_at', now: 1_006, recordsMax: 9 });
      assert.equal(removal.removed, 1);
      assert.equal((await engine.sizeOf(to)).records, 1);
    },
  );
}
