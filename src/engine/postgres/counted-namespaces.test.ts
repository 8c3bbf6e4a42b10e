// Counts of namespaces that follow writes, against a map.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { type ChangedNamespace, type CountedNamespace, CountedNamespaces } from './counted-namespaces.ts';

const SEED = 21;
const state = (lsn: number) => ({ lsn, stamp: `s${lsn}` });
const byName = ([, a]: CountedNamespace, [, b]: CountedNamespace) => (a < b ? -1 : 1);
const flat = (counted: CountedNamespaces) =>
  counted.blocks.flat().map(({ name, recordCount }) => [name, recordCount]);

function counted(count: number): CountedNamespaces {
  const rows = Array.from({ length: count }, (_, at): CountedNamespace => [at, `n${at}`, at]);
  return CountedNamespaces.of(state(0), rows.sort(byName));
}

it('follows added, changed, removed and renewed namespaces as a map does', () => {
  const step = fc.record({
    name: fc.integer({ min: 0, max: 2_000 }),
    records: fc.nat(9),
    isGone: fc.boolean(),
  });
  const writes = fc.array(fc.array(step, { maxLength: 200 }), { maxLength: 12 });
  fc.assert(
    fc.property(fc.nat(3_000), writes, (count, all) => {
      let followed = counted(count);
      const model = new Map(
        Array.from({ length: count }, (_, at) => [`n${at}`, { number: at, records: at }]),
      );
      let numbers = count;
      for (const [at, steps] of all.entries()) {
        const touched = new Map<number, string>();
        for (const { name, records, isGone } of steps) {
          const known = model.get(`n${name}`);
          const number = known?.number ?? numbers++;
          touched.set(number, `n${name}`);
          if (isGone) model.delete(`n${name}`);
          else model.set(`n${name}`, { number, records });
        }
        const changed = [...touched].map(([number, name]): ChangedNamespace => {
          const now = model.get(name);
          return now?.number === number ? [number, name, now.records] : [number, null, null];
        });
        const later = followed.after(state(at + 1), changed);
        assert.ok(later !== null);
        followed = later;
        const expected = [...model].map(([name, { number, records }]) => [number, name, records] as const);
        assert.deepEqual(
          flat(followed),
          expected.sort(byName).map(([, name, records]) => [name, records]),
        );
        assert.equal(followed.length, model.size);
      }
    }),
    { seed: SEED, numRuns: 60 },
  );
});

it('shares the blocks that no write has changed', () => {
  const before = counted(100_000);
  const after = before.after(state(1), [[7, 'n7', 70]]);
  const made = after?.blocks.filter((block) => !before.blocks.includes(block)) ?? [];
  assert.equal(made.length, 1);
  assert.ok(before.blocks.length > 100);
  assert.equal(made[0]?.find(({ name }) => name === 'n7')?.recordCount, 70);
  assert.equal(
    before.blocks.flat().find(({ name }) => name === 'n7')?.recordCount,
    7,
    'nothing else changes',
  );
});

it('keeps blocks bounded while namespaces are added in any order', () => {
  let followed: CountedNamespaces | null = CountedNamespaces.of(state(0), []);
  for (let at = 0; at < 5_000; at++) {
    const number: number = (at * 2_741) % 5_000;
    followed = followed?.after(state(at + 1), [[number, `n${number}`, 1]]) ?? null;
  }
  assert.equal(followed?.length, 5_000);
  assert.ok(followed?.blocks.every(({ length }) => length <= 1_024));
});

it('asks to be counted anew where most of what it knew is gone', () => {
  const gone = Array.from({ length: 15_000 }, (_, at) => [at, null, null] as const);
  assert.equal(counted(15_000).after(state(1), gone), null);
  assert.equal(counted(15_000).after(state(1), gone.slice(0, 7_500))?.length, 7_500);
});
