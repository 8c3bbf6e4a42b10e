// Quantization: codes and metadata against the reference.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOffset, codeStride, FRAME_BYTES, META_BYTES, metaOffset, rowsPerFrame } from './layout.ts';
import { Random } from './testing/hard-vectors.ts';
import { BUILDS, KernelFixture } from './testing/kernel-fixture.ts';
import { encodeRow } from './testing/reference.ts';
import { SHAPE_NAMES, sampleVector } from './testing/sample-vectors.ts';

const DIMS = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 100, 768, 1537, 20_000];

function assertEncoded(fixture: KernelFixture, row: Float32Array, place: number): void {
  const dim = row.length;
  const expected = encodeRow(row);
  const codes = fixture.frames + codeOffset(dim, place);
  const stored = new Int8Array(fixture.memory.buffer, codes, codeStride(dim));
  assert.deepEqual(stored.slice(0, dim), expected.codes);
  assert.ok(stored.slice(dim).every((code) => code === 0));
  const meta = new DataView(fixture.memory.buffer, fixture.frames + metaOffset(dim, place), META_BYTES);
  assert.equal(meta.getFloat32(0, true), expected.scale);
  assert.equal(meta.getInt32(4, true), expected.codeSum);
  assertClose(meta.getFloat32(8, true), Math.fround(expected.normSquared));
  const residualNorm = meta.getFloat32(12, true);
  assert.ok(residualNorm >= expected.residualNorm, 'a bound from above');
  const room = 2e-4 * expected.residualNorm + 1e-6 * Math.sqrt(expected.normSquared);
  assert.ok(residualNorm <= expected.residualNorm + room, 'a close one');
}

/** Squares of denormals vanish in 32 bits; nothing else may. */
function assertClose(actual: number, expected: number): void {
  if (expected === Infinity) assert.equal(actual, Infinity);
  else assert.ok(Math.abs(actual - expected) <= 1e-4 * expected + 1e-38, `${actual} is not ${expected}`);
}

for (const build of BUILDS) {
  test(`${build}: encodes any row as the reference does`, () => {
    const fixture = new KernelFixture(build);
    const random = new Random(7);
    for (const dim of DIMS) {
      const rows = SHAPE_NAMES.slice(0, 64).map((shape) => sampleVector(shape, dim, random));
      for (let from = 0; from < rows.length; from += rowsPerFrame(dim)) {
        const frameful = rows.slice(from, from + rowsPerFrame(dim));
        fixture.load(frameful);
        for (const [place, row] of frameful.entries()) assertEncoded(fixture, row, place);
      }
    }
  });

  test(`${build}: leaves the row number and everything outside the row unchanged`, () => {
    const fixture = new KernelFixture(build);
    fixture.load([new Float32Array(20).fill(1)]);
    const changed = new Set<number>();
    const frame = fixture.u8.subarray(fixture.frames - 64, fixture.frames + FRAME_BYTES + 64);
    const before = frame.slice();
    fixture.kernel.encodeRow(fixture.rows, 20, fixture.frames, 1);
    for (const [at, byte] of frame.entries()) if (byte !== before[at]) changed.add(at - 64);
    const codes = codeOffset(20, 1);
    const meta = metaOffset(20, 1);
    for (const at of changed) {
      const isCode = at >= codes && at < codes + 32;
      assert.ok(isCode || (at >= meta && at < meta + 16), `byte ${at}`);
    }
  });
}

test('fits 3 rows in a frame at the maximum dimension, without overlap of rows and metadata', () => {
  assert.equal(rowsPerFrame(20_000), 3);
  for (const dim of DIMS) {
    const count = rowsPerFrame(dim);
    assert.ok(codeOffset(dim, count) <= metaOffset(dim, 0));
    assert.ok(metaOffset(dim, count) <= FRAME_BYTES);
  }
});
