// Guarantees of packed records: unpacking restores them, also on another thread.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { ANY_CHARACTER } from '../../domain/testing/any-character.ts';
import { readable } from '../conformance/same-records.ts';
import { dense } from '../conformance/sample-data.ts';
import { buffersOf, packedBytes, packRecords, unpackRecords } from './packed-records.ts';
import type { StorableRecord } from './reader-and-writer.ts';

const DIMENSION = 3;

const sparse = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 2 ** 32 - 1 }), fc.float({ noNaN: true })), {
    selector: ([index]) => index,
  })
  .map((entries) => ({
    indices: Uint32Array.from(entries, ([index]) => index),
    values: Float32Array.from(entries, ([, value]) => value),
  }));
const body = fc.record({
  id: fc.string({ unit: fc.constantFrom('a', 'Z', '#', ' ', '~'), minLength: 1, maxLength: 512 }),
  sparse: fc.option(sparse),
  metadataJson: fc.option(fc.string({ unit: ANY_CHARACTER }).map((text) => JSON.stringify({ text }))),
});
const floats = fc
  .array(fc.float({ noNaN: true }), { minLength: DIMENSION, maxLength: DIMENSION })
  .map((values) => Float32Array.from(values));

for (const [kind, dimension, values] of [
  ['dense', DIMENSION, floats],
  ['sparse', null, fc.constant(null)],
] as const) {
  it(`restores ${kind} records from their buffers`, () => {
    const records = fc.array(
      fc.tuple(body, values).map(([rest, given]): StorableRecord => ({ ...rest, values: given })),
      { maxLength: 8 },
    );
    const property = fc.property(records, (given) => {
      const packed = packRecords(given, dimension);
      assert.equal(packed.count, given.length);
      assert.deepEqual(unpackRecords(packed).map(readable), given.map(readable));
      assert.equal(
        packedBytes(packed),
        buffersOf(packed).reduce((sum, buffer) => sum + buffer.byteLength, 0),
      );
    });
    fc.assert(property, { seed: 4, numRuns: 200 });
  });
}

it('transfers packed records to another thread', () => {
  const packed = packRecords([dense('a', [1, 2, 3], { n: 1 }), dense('b', [4, 5, 6])], DIMENSION);
  const moved = structuredClone(packed, { transfer: [...buffersOf(packed)] });
  assert.equal(packed.bodies.length, 0);
  assert.deepEqual(
    unpackRecords(moved).map(({ id }) => id),
    ['a', 'b'],
  );
});

it('rejects records of another dimension, and a wrong count', () => {
  assert.throws(() => packRecords([dense('a', [1, 2])], DIMENSION), RangeError);
  const packed = packRecords([dense('a', [1, 2, 3])], DIMENSION);
  assert.throws(() => unpackRecords({ ...packed, count: 2 }), RangeError);
});
