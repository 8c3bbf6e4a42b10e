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
