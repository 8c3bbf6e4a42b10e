// Fetches return what was asked for, in its order, however the records lie on disk.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { NamespaceRows } from '../storage/checked-rows.ts';
import { type FetchedFrom, fetchRecords } from './fetch-records.ts';

const DIMENSION = 3;

/** Records of these rows, whose values are their row; `seen` notes the rows that are read, a batch each. */
function stored(rowOf: ReadonlyMap<string, number>) {
  const idOf = new Map(Array.from(rowOf, ([id, row]) => [row, id]));
  const seen: (readonly number[])[] = [];
  const records: FetchedFrom['records'] = {
    rowOfId: (_, id) => rowOf.get(id),
    get: (_, row) => {
      const id = idOf.get(row);
      return id === undefined
        ? undefined
        : { id, seq: 1, sparse: null, metadataJson: `{"row":${row}}`, rowSum: row + 1 };
    },
    damage: (what) => new Error(what),
  };
  const rows: NamespaceRows = {
    dimension: DIMENSION,
    readRows: (rows, into, { sums } = {}) => {
      seen.push(rows);
      assert.deepEqual(
        sums,
        rows.map((row) => row + 1),
      );
      const values = new Float32Array(into.buffer, into.byteOffset, rows.length * DIMENSION);
      for (const [i, row] of rows.entries()) values.fill(row, i * DIMENSION, (i + 1) * DIMENSION);
    },
    readRow: () => assert.fail('rows are read together'),
  };
  return { from: { records, namespaceId: 1, rows }, seen };
}

it('returns the records that exist in the order of the ids, and reads their rows from first to last', () => {
  const rows = fc.uniqueArray(fc.nat(5_000), { maxLength: 200 });
  fc.assert(
    fc.property(rows, fc.array(fc.nat(5_000), { maxLength: 200 }), (held, asked) => {
      const rowOf = new Map(held.map((row) => [`id-${(row * 7) % 5_001}`, row]));
      const { from, seen } = stored(rowOf);
      const ids = [...asked.map((number) => `id-${number}`), ...rowOf.keys()].reverse();
      const fetched = fetchRecords(from, ids);
      const expected = ids.filter((id) => rowOf.has(id));
      assert.deepEqual(
        fetched.map(({ id }) => id),
        expected,
      );
      for (const { id, values, metadataJson } of fetched) {
        const row = rowOf.get(id) ?? -1;
        assert.deepEqual(values, new Float32Array(DIMENSION).fill(row));
        assert.equal(metadataJson, `{"row":${row}}`);
      }
      const read = seen.flat();
      assert.deepEqual(
        read,
        read.toSorted((a, b) => a - b),
      );
      assert.equal(read.length, expected.length);
    }),
    { seed: 68, numRuns: 200 },
  );
});

it('tells of damage where an id names a row that holds another record, or none', () => {
  const { from } = stored(new Map([['a', 4]]));
  const wrong = { ...from, records: { ...from.records, rowOfId: () => 5 } };
  assert.throws(() => fetchRecords(wrong, ['a']), /id "a" names row 5, which does not hold it/);
});
