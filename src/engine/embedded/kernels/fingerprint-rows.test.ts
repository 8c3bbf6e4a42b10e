// Fingerprints of rows: equal for equal bits, and changed by every change that damage makes likely.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from './testing/hard-vectors.ts';
import { BUILDS, KernelFixture } from './testing/kernel-fixture.ts';
import { sampleVector } from './testing/sample-vectors.ts';

const DIMS = [1, 2, 3, 4, 5, 15, 16, 17, 40, 384, 1537];
const SIGN = 0x8000_0000;

for (const build of BUILDS) {
  const fixture = new KernelFixture(build);
  const prints = fixture.sparseScores;

  function printsOf(address: number, dim: number, count = 1): Uint32Array {
    fixture.kernel.fingerprintRows({ address, count, dim }, prints);
    return fixture.u32.slice(prints / 4, prints / 4 + count);
  }

  test(`${build}: gives equal rows equal fingerprints, wherever they lie and whatever follows`, () => {
    const random = new Random(31);
    for (const dim of DIMS) {
      const row = sampleVector('normal', dim, random);
      fixture.load([row, sampleVector('normal', dim, random), row]);
      const [first = 0, other, same] = printsOf(fixture.rows, dim, 3);
      assert.equal(same, first);
      assert.notEqual(other, first);
      for (let shift = 4; shift < 64; shift += 4) {
        const address = fixture.rows + 4 * dim * 4 + shift;
        fixture.f32.set(row, address >> 2);
        fixture.f32[(address >> 2) + dim] = shift;
        assert.deepEqual([...printsOf(address, dim)], [first]);
      }
    }
  });

  test(`${build}: changes a fingerprint with any bit, with pairs of signs, and with swapped or shifted values`, () => {
    const random = new Random(32);
    for (const dim of DIMS) {
      const row = sampleVector('normal', dim, random);
      fixture.load([row]);
      const words = fixture.u32.subarray(fixture.rows / 4, fixture.rows / 4 + dim);
      const [before] = printsOf(fixture.rows, dim);
      const original = words.slice();
      const changes = (change: () => void) => {
        change();
        const isSame = words.every((word, at) => word === original[at]);
        assert.equal(printsOf(fixture.rows, dim)[0] === before, isSame);
        words.set(original);
      };
      for (let at = 0; at < dim; at++) {
        const bit = 2 ** Math.floor(random.uniform() * 32);
        changes(() => {
          words[at] = ((words[at] ?? 0) ^ bit) >>> 0;
        });
        // Words that are 16 apart pass through the same lane.
        changes(() => {
          words[at] = ((words[at] ?? 0) ^ SIGN) >>> 0;
          if (at + 16 < dim) words[at + 16] = ((words[at + 16] ?? 0) ^ SIGN) >>> 0;
        });
      }
      changes(() => words.reverse());
      changes(() => words.copyWithin(1, 0));
      changes(() => words.fill(0));
    }
  });

  test(`${build}: never gives 0`, () => {
    for (const dim of DIMS) {
      fixture.load([new Float32Array(dim)]);
      assert.notEqual(printsOf(fixture.rows, dim)[0], 0);
    }
  });
}
