// Rows are compared with their checksums at every read, also those that were read before.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { tempFolder } from '../testing/temp-folder.ts';
import { CheckedRows, type KnownOfRows, type RowRecords } from './checked-rows.ts';
import { breakReads } from './derived-files/testing/faulty-disk.ts';
import { rowSumOf } from './integrity/record-sums.ts';
import type { RecordTable } from './record-table.ts';
import { RowFile } from './row-file.ts';

const DIMENSION = 8;
const NAMESPACE = 3;

function setUp(folder: string) {
  const path = join(folder, 'rows.f32');
  const writing = RowFile.openForWriting(path, DIMENSION);
  const sums = new Map<number, number>();
  const asked: number[] = [];
  const records: Pick<RecordTable, 'rowSum' | 'damage'> = {
    rowSum: (_, row) => {
      asked.push(row);
      return sums.get(row) ?? 0;
    },
    damage: (what) => new Error(`damaged: ${what}`),
  };
  const table = { records } as RowRecords['now'];
  const rows = new CheckedRows(
    RowFile.openForReading(path, DIMENSION, null),
    { shown: table, now: table },
    DIMENSION,
  );
  const write = (row: number, value: number): void => {
    const values = new Float32Array(DIMENSION).fill(value);
    writing.write([row], [values]);
  };
  const record = (row: number, value: number): void => {
    sums.set(row, rowSumOf(new Uint8Array(new Float32Array(DIMENSION).fill(value).buffer)));
  };
  return { rows: rows.of(NAMESPACE), write, record, asked };
}

/** Fingerprints as a kernel would compute them: the first word of a row tells these rows apart. */
function printsOf(into: Uint8Array<ArrayBuffer>): NonNullable<KnownOfRows['printsOf']> {
  return (count) =>
    Uint32Array.from({ length: count }, (_, at) => new Uint32Array(into.buffer)[at * DIMENSION] ?? 0);
}

for (const how of ['by fingerprint', 'by checksum'] as const) {
  const read = ({ rows }: ReturnType<typeof setUp>, numbers: readonly number[]) => {
    const into = new Uint8Array(numbers.length * DIMENSION * 4);
    rows.readRows(numbers, into, how === 'by fingerprint' ? { printsOf: printsOf(into) } : {});
    return new Float32Array(into.buffer);
  };

  it(`finds damage of a row that it has read before, ${how}`, (t) => {
    const set = setUp(tempFolder(t));
    for (const row of [0, 1, 2]) {
      set.write(row, row + 1);
      set.record(row, row + 1);
    }
    assert.deepEqual(
      read(set, [2, 0]).filter((_, at) => at % DIMENSION === 0),
      Float32Array.of(3, 1),
    );
    read(set, [2, 0]);
    set.write(2, 7);
    assert.throws(() => read(set, [0, 2]), /row 2, of namespace 3, does not have its checksum/);
    read(set, [0, 1]);
  });

  it(`asks the records once, and again of a row that was used again, ${how}`, (t) => {
    const set = setUp(tempFolder(t));
    set.write(5, 1);
    set.record(5, 1);
    for (let times = 0; times < 3; times++) read(set, [5]);
    assert.deepEqual(set.asked, [5]);
    set.write(5, 2);
    set.record(5, 2);
    assert.equal(read(set, [5])[0], 2);
    assert.deepEqual(set.asked, [5, 5]);
  });

  it(`takes a row that the disk cannot read, or the file lacks, for damaged, ${how}`, (t) => {
    const set = setUp(tempFolder(t));
    set.write(0, 1);
    assert.throws(() => read(set, [0, 3]), /damaged: row 3 cannot be read: the file ends before it/);
    t.after(breakReads('EIO'));
    assert.throws(() => read(set, [0]), /damaged: row 0 cannot be read: the disk reports EIO/);
  });

  it(`reads rows without a checksum, and asks for it each time, ${how}`, (t) => {
    const set = setUp(tempFolder(t));
    set.write(1, 4);
    for (let times = 0; times < 2; times++) assert.equal(read(set, [1])[0], 4);
    assert.ok(set.asked.length >= 2);
  });
}
