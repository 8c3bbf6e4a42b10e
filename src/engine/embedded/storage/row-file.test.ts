// The row file returns the vectors written to it, in runs and alone.
import assert from 'node:assert/strict';
import { appendFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { systemCalls } from '../../../platform/native/system-calls.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { RowFile } from './row-file.ts';

const DIMENSION = 3;
/** Files for reading are read through mappings where the system has them. */
const WAYS = [
  ['as this system reads', systemCalls()],
  ['by calls alone', null],
] as const;

function vectorOf(value: number): Float32Array {
  return Float32Array.from({ length: DIMENSION }, (_, i) => value * 10 + i);
}

for (const [way, calls] of WAYS) {
  it(`reads from every row what was last written, whatever runs the writes came in, ${way}`, (test) => {
    const folder = tempFolder(test);
    let files = 0;
    // Rows far apart, too: what is read first is a small part of what there is in the end.
    const row = fc.oneof(
      fc.nat({ max: 12 }),
      fc.nat({ max: 12 }).map((each) => each * 20_011),
    );
    const writes = fc.array(fc.uniqueArray(row, { minLength: 1, maxLength: 8 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(writes, (batches) => {
        const path = join(folder, `rows-${files++}`);
        const file = RowFile.openForWriting(path, DIMENSION);
        const reading = RowFile.openForReading(path, DIMENSION, calls);
        const expected = new Map<number, number>();
        for (const [batch, rows] of batches.entries()) {
          file.write(
            rows,
            rows.map((row) => vectorOf(batch * 100 + row)),
          );
          for (const row of rows) expected.set(row, batch * 100 + row);
          // Rows of every write in one lot: old ones beside those that the file has just grown by.
          const together = new Float32Array(expected.size * DIMENSION);
          reading.readRows([...expected.keys()], new Uint8Array(together.buffer));
          assert.deepEqual(
            [...together],
            [...expected.values()].flatMap((value) => [...vectorOf(value)]),
          );
          for (const [row, value] of expected) assert.deepEqual(reading.readRow(row), vectorOf(value));
          const end = Math.max(...expected.keys()) + 1;
          assert.equal(reading.bytes, end * DIMENSION * 4);
          assert.throws(() => reading.readRow(end), new RegExp(`row ${end} cannot be read: the file ends`));
        }
        file.sync();
        file.close();
        reading.close();
        assert.throws(() => reading.readRow(0), /EBADF/);
      }),
      { seed: 33, numRuns: 30 },
    );
  });

  it(`reads rows at and across the border of two windows, ${way}`, (test) => {
    const path = join(tempFolder(test), 'rows');
    const border = Math.floor(2 ** 30 / (DIMENSION * 4));
    const rows = [border - 1, border, border + 1];
    const file = RowFile.openForWriting(path, DIMENSION);
    file.write(rows, rows.map(vectorOf));
    const reading = RowFile.openForReading(path, DIMENSION, calls);
    for (const row of [...rows, ...rows]) assert.deepEqual(reading.readRow(row), vectorOf(row));
    assert.deepEqual(reading.readRow(5), new Float32Array(DIMENSION));
    reading.close();
    file.close();
  });
}

it('reads a run of rows to the start of the given buffer', (test) => {
  const file = RowFile.openForWriting(join(tempFolder(test), 'rows'), DIMENSION);
  const rows = [0, 1, 2, 3, 4];
  file.write(rows, rows.map(vectorOf));
  const into = new Float32Array(4 * DIMENSION).fill(-1);
  file.read(1, 3, new Uint8Array(into.buffer));
  assert.deepEqual([...into], [10, 11, 12, 20, 21, 22, 30, 31, 32, -1, -1, -1]);
  file.close();
});

it('reads the rows of a batch in order, whether or not their runs are too long for windows', (test) => {
  const path = join(tempFolder(test), 'rows');
  const file = RowFile.openForWriting(path, DIMENSION);
  const rows = Array.from({ length: 4_000 }, (_, i) => i);
  file.write(rows, rows.map(vectorOf));
  const reading = RowFile.openForReading(path, DIMENSION);
  const batch = [3_999, 7, ...rows.slice(1_000, 3_000), 8, 2_999, 3_000, 5];
  const into = new Float32Array(batch.length * DIMENSION);
  for (let again = 0; again < 3; again++) {
    reading.readRows(batch, new Uint8Array(into.fill(-1).buffer));
    assert.deepEqual(
      [...into],
      batch.flatMap((row) => [...vectorOf(row)]),
    );
  }
  reading.close();
  file.close();
});

it('writes only the view when a vector is part of a larger array', (test) => {
  const file = RowFile.openForWriting(join(tempFolder(test), 'rows'), DIMENSION);
  const all = Float32Array.of(9, 1, 2, 3, 9);
  file.write([0], [all.subarray(1, 4)]);
  assert.deepEqual([...file.readRow(0)], [1, 2, 3]);
  assert.equal(file.bytes, DIMENSION * 4);
  file.close();
});

it('throws when the file ends too early, within a row too', (test) => {
  const path = join(tempFolder(test), 'rows');
  const file = RowFile.openForWriting(path, DIMENSION);
  file.write([0, 1], [vectorOf(0), vectorOf(1)]);
  truncateSync(path, DIMENSION * 4 + 5);
  assert.deepEqual(file.readRow(0), vectorOf(0));
  assert.throws(() => file.readRow(1), /row 1 cannot be read: the file ends/);
  assert.throws(
    () => file.read(0, 2, new Uint8Array(2 * DIMENSION * 4)),
    /row 1 cannot be read: the file ends/,
  );
  assert.throws(() => file.readRow(7), /row 7 cannot be read: the file ends/);
  appendFileSync(path, Buffer.alloc(7));
  assert.equal(file.readRow(1)[0], 10);
  file.close();
});

it('writes nothing for no rows', (test) => {
  const file = RowFile.openForWriting(join(tempFolder(test), 'rows'), DIMENSION);
  file.write([], []);
  assert.equal(file.bytes, 0);
  file.close();
});
