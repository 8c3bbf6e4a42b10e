// The kernel's tests of cells against comparisons one by one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CellSet, storedBytes } from '../filters/cell-set.ts';
import { BUILDS, KernelFixture } from './testing/kernel-fixture.ts';

/** Several words of bits. */
const CELLS = 32 * 11;

const number = fc.oneof(
  fc.double(),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(-0, Infinity, -Infinity, NaN),
);
/** Of a string: a NaN of which all bits matter. */
const pattern = fc.oneof(
  fc.bigInt({ min: 0xfff0000000000001n, max: 0xffffffffffffffffn }),
  fc.constantFrom(0xfff0000000000001n, 0xfff0000100000001n, 0xfff0000000000002n, 0x7ff8000000000002n),
);
const cell = fc.oneof({ weight: 4, arbitrary: number }, { weight: 2, arbitrary: pattern });
const cells = fc.array(cell, { minLength: CELLS, maxLength: CELLS });
const count = fc.nat({ max: CELLS });

for (const build of BUILDS) {
  const { kernel, u32, bitmap, sparseScores: address, frames: set, memory } = new KernelFixture(build);
  const numbers = new Float64Array(u32.buffer, address, CELLS);
  const bits = new BigUint64Array(u32.buffer, address, CELLS);
  const words = u32.subarray(bitmap / 4, bitmap / 4 + CELLS / 32);

  const write = (all: readonly (number | bigint)[]): void => {
    words.fill(0xffffffff);
    for (const [at, each] of all.entries()) {
      if (typeof each === 'bigint') bits[at] = each;
      else numbers[at] = each;
    }
  };
  const assertBits = (count: number, isExpected: (at: number) => boolean): void => {
    for (let at = 0; at < CELLS; at++) {
      const isSet = (((words[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;
      assert.equal(
        isSet,
        at < count ? isExpected(at) : at >= 32 * Math.ceil(count / 32),
        `${at} of ${count}`,
      );
    }
  };

  test(`${build}: tells the numbers of a range from other numbers, from NaN in all its patterns, and from what follows`, () => {
    fc.assert(
      fc.property(cells, number, number, count, (all, low, high, count) => {
        write(all);
        kernel.testWithin({ address, count }, { low, high }, bitmap);
        assertBits(count, (at) => {
          const each = all[at];
          return typeof each === 'number' && each >= low && each <= high;
        });
      }),
      { seed: 52, numRuns: 200 },
    );
  });

  test(`${build}: tells one cell from all that differ in any bit, and from what follows`, () => {
    fc.assert(
      fc.property(
        cells,
        fc.nat({ max: CELLS - 1 }),
        fc.nat({ max: 63 }),
        count,
        (all, chosen, bit, count) => {
          write(all);
          const expected = bits[chosen] ?? 0n;
          bits[(chosen + 7) % CELLS] = expected ^ (1n << BigInt(bit));
          const cell = { low: Number(expected & 0xffffffffn), high: Number(expected >> 32n) };
          kernel.testCell({ address, count }, cell, bitmap);
          assertBits(count, (at) => bits[at] === expected);
        },
      ),
      { seed: 53, numRuns: 200 },
    );
  });

  test(`${build}: tells the cells of a set from others, whatever its size, and from what follows`, () => {
    const members = new CellSet();
    const sizes = fc.oneof(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 1_000, max: 12_000 }));
    fc.assert(
      fc.property(cells, sizes, fc.nat({ max: 9 }), count, (all, size, step, count) => {
        write(all);
        const listed = new BigUint64Array(size).map(
          (_, at) => (bits[(at * step) % CELLS] ?? 0n) + BigInt(at >>> 9),
        );
        members.fill(new BigInt64Array(listed.buffer));
        assert.ok(members.store(memory.buffer, { address: set, bytes: 2 * storedBytes(size) }));
        kernel.testMember({ address, count }, set, bitmap);
        const inList = new Set(listed);
        assertBits(count, (at) => inList.has(bits[at] ?? 0n));
      }),
      { seed: 54, numRuns: 100 },
    );
  });
}

test('refuses to store a set where there is too little room, and writes nothing', () => {
  const buffer = new SharedArrayBuffer(4_096);
  const members = new CellSet();
  members.fill(BigInt64Array.from({ length: 100 }, (_, at) => BigInt(at)));
  assert.ok(!members.store(buffer, { address: 0, bytes: storedBytes(100) / 2 }));
  assert.ok(new Uint8Array(buffer).every((byte) => byte === 0));
});
