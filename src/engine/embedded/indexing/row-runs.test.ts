// Runs contain every row once, in order, and only rows that are adjacent both in the file and in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rowRuns } from './row-runs.ts';
import type { RowWrite } from './write-transaction.ts';

const DIMENSION = 2;

test('writes the rows of a commit in as few runs as there are gaps', () => {
  const write = fc.record({ row: fc.nat({ max: 6 }), buffer: fc.nat({ max: 1 }), place: fc.nat({ max: 5 }) });
  const steps = fc.array(fc.oneof(write, fc.constant(null)), { maxLength: 12 });
  const buffers = [0, 1].map((b) => Float32Array.from({ length: 40 }, (_, i) => b * 100 + i));
  fc.assert(
    fc.property(steps, (list) => {
      const at = { row: 0, buffer: 0, place: 0 };
      const writes = list.map((step): RowWrite => {
        Object.assign(at, step ?? { row: at.row + 1, place: at.place + 1 });
        const values = buffers[at.buffer]?.subarray(at.place * DIMENSION, (at.place + 1) * DIMENSION);
        return { row: at.row, values: values ?? new Float32Array(DIMENSION) };
      });
      const runs = rowRuns(writes);
      const written = runs.flatMap(({ firstRow, bytes }) => {
        const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
        const count = floats.length / DIMENSION;
        return Array.from({ length: count }, (_, i): RowWrite => {
          return { row: firstRow + i, values: floats.subarray(i * DIMENSION, (i + 1) * DIMENSION) };
        });
      });
      assert.deepEqual(written, writes);
      assert.ok(runs.length <= 1 + list.filter((step) => step !== null).length);
    }),
    { seed: 23, numRuns: 300 },
  );
});
