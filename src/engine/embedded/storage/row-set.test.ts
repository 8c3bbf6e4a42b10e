// A row set behaves as a plain set of numbers.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { RowSet } from './row-set.ts';

it('holds rows, runs of them and the gaps between as a plain set does', () => {
  const property = fc.property(
    fc.array(fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 20_000 })), { maxLength: 60 }),
    fc.integer({ min: 1, max: 9 }),
    (rows, countMax) => {
      const set = new RowSet();
      const model = new Set<number>();
      for (const row of rows) {
        assert.equal(set.add(row), !model.has(row));
        model.add(row);
      }
      const sorted = [...model].sort((a, b) => a - b);
      assert.equal(set.size, sorted.length);
      assert.equal(set.end, (sorted.at(-1) ?? -1) + 1);
      const runs = [...set.runs(countMax)];
      assert.deepEqual(
        runs.flatMap(({ first, count }) => Array.from({ length: count }, (_, i) => first + i)),
        sorted,
      );
      assert.ok(runs.every(({ count }) => count <= countMax));
      const gaps = [...set.gaps(countMax)];
      assert.deepEqual(
        gaps.flat(),
        Array.from({ length: set.end }, (_, row) => row).filter((row) => !model.has(row)),
      );
      assert.ok(gaps.every((batch) => batch.length > 0 && batch.length <= countMax));
    },
  );
  fc.assert(property, { seed: 11, numRuns: 60 });
});

it('loses rows, and finds the next one, as a plain set does', () => {
  const row = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 20_000 }));
  const property = fc.property(
    fc.array(row, { maxLength: 60 }),
    fc.array(row, { maxLength: 30 }),
    row,
    (added, removed, from) => {
      const set = new RowSet();
      const model = new Set(added);
      for (const each of added) set.add(each);
      for (const each of [...removed, ...added.slice(0, 5)])
        assert.equal(set.delete(each), model.delete(each));
      assert.equal(set.size, model.size);
      const left = [...model].sort((a, b) => a - b);
      assert.equal(set.next(from), left.find((each) => each >= from) ?? null);
      const walked: number[] = [];
      for (let at = set.next(0); at !== null; at = set.next(at + 1)) walked.push(at);
      assert.deepEqual(walked, left);
    },
  );
  fc.assert(property, { seed: 12, numRuns: 100 });
});
