// Counts of cells, against a map.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CellCounts } from './cell-counts.ts';

describe('CellCounts', () => {
  it('counts each cell once a slot, however many there are', () => {
    const counts = new CellCounts(10_000);
    const expected = new Map<number, number>();
    for (let slot = 0; slot < 20_000; slot++) {
      const low = (slot * slot) % 997;
      counts.add(low, 5, slot);
      counts.add(low, 6, slot);
      counts.add(low, 5, slot);
      expected.set(low, (expected.get(low) ?? 0) + 1);
    }
    assert.deepEqual([counts.size, counts.isExact], [expected.size * 2, true]);
    for (const { low, count } of counts.top(10_000, 0)) assert.equal(count, expected.get(low));
    const [first] = counts.top(1, 0);
    assert.equal(first?.count, Math.max(...expected.values()));
  });

  it('counts slots of the same number in each segment', () => {
    const counts = new CellCounts(1_000);
    for (const segment of [0, 1, 2]) {
      counts.startSegment(segment);
      for (let slot = 0; slot < 100; slot++) counts.add(slot, 7, slot);
    }
    const shown = counts.top(100, 0);
    assert.equal(shown.length, 100);
    assert.ok(shown.every(({ low, count, slot, segment }) => count === 3 && slot === low && segment === 2));
  });

  it('counts no further cells than it may, and says so', () => {
    const counts = new CellCounts(100);
    for (let slot = 0; slot < 300; slot++) counts.add(slot % 150, 0, slot);
    assert.deepEqual([counts.size, counts.isExact], [100, false]);
    assert.ok(counts.top(200, 0).every(({ low, count }) => low < 100 && count === 2));
  });

  it('returns cells that tie with the last, those of the lowest slots, and the same ones each time', () => {
    const shown = () => {
      const counts = new CellCounts(1_000);
      for (let slot = 0; slot < 500; slot++) {
        counts.add(slot, 1, slot);
        counts.add(slot, 2, slot);
        if (slot % 100 === 99) counts.add(slot, 1, slot + 1_000);
      }
      return counts.top(7, 4);
    };
    const cells = shown();
    assert.deepEqual(
      cells.map(({ count, slot }) => [count, slot]),
      [
        ...[1_099, 1_199, 1_299, 1_399, 1_499].map((slot) => [2, slot]),
        ...[0, 0, 1, 1, 2, 2].map((slot) => [1, slot]),
      ],
    );
    assert.deepEqual(shown(), cells);
  });
});
