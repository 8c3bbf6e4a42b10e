// Cells and sets of cells: equal values have equal cells, others do not, and sets contain what was added.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextAbove, nextBelow } from '../../../domain/adjacent-number.ts';
import { ANY_CHARACTER } from '../../../domain/testing/any-character.ts';
import { CellEncoder } from './cell.ts';
import { CellSet } from './cell-set.ts';
import { isMember } from './entry-predicate.ts';
import { KeyedHash } from './keyed-hash.ts';
import { SharedViews } from './layout.ts';

const RUNS = { seed: 20_251, numRuns: 200 };

function cellOf(value: string | number | boolean, seed = 42): bigint {
  const encoder = new CellEncoder(seed);
  encoder.encode(value);
  return encoder.bits;
}

test('hashes by HalfSipHash-2-4, as published vectors have it', () => {
  const hash = new KeyedHash(0x03020100, 0x07060504);
  const vectors: readonly (readonly [bytes: number, low: number, high: number])[] = [
    [0, 0x591f8d21, 0xc83cb8b9],
    [2, 0xef394f06, 0x57eb507c],
    [4, 0x178ae7d5, 0xa12ee55b],
    [8, 0x20e8feed, 0x8c85e4bc],
    [62, 0xb53a0bf9, 0x9366d472],
  ];
  for (const [bytes, low, high] of vectors) {
    const units = Array.from({ length: bytes / 2 }, (_, at) => (at * 2) | ((at * 2 + 1) << 8));
    hash.hash(String.fromCharCode(...units));
    assert.deepEqual([hash.low, hash.high], [low, high], `${bytes} bytes`);
  }
});

test('gives values the same cell exactly when they are equal', () => {
  const value = fc.oneof(fc.string({ unit: ANY_CHARACTER, maxLength: 4 }), fc.double(), fc.boolean());
  fc.assert(
    fc.property(value, value, (a, b) => {
      const areEqual = a === b || (Number.isNaN(a) && Number.isNaN(b));
      assert.equal(cellOf(a) === cellOf(b), areEqual);
    }),
    RUNS,
  );
  assert.equal(cellOf(-0), cellOf(0));
});

test('never encodes a string, boolean or marker as a number', () => {
  const number = (bits: bigint): number => new Float64Array(new BigInt64Array([bits]).buffer)[0] ?? 0;
  fc.assert(
    fc.property(fc.string(), fc.nat(), (text, seed) => assert.ok(Number.isNaN(number(cellOf(text, seed))))),
    RUNS,
  );
  const encoder = new CellEncoder(1);
  encoder.encodeEmptyList();
  for (const bits of [cellOf(true), cellOf(false), cellOf(Number.NaN), encoder.bits]) {
    assert.ok(Number.isNaN(number(bits)));
  }
});

test('gives strings other cells under another seed', () => {
  assert.notEqual(cellOf('drama', 1), cellOf('drama', 2));
  assert.notEqual(cellOf('drama', 1), cellOf('drama', 1 + 2 ** 32));
});

test('finds the numbers next to a number, with none between', () => {
  for (const value of [
    0,
    -0,
    1,
    -1,
    0.1,
    Number.MIN_VALUE,
    -Number.MIN_VALUE,
    2 ** 53,
    Number.NEGATIVE_INFINITY,
  ]) {
    const above = nextAbove(value);
    const middle = value / 2 + above / 2;
    assert.ok(above > value);
    assert.ok(middle === value || middle === above);
    assert.ok(nextBelow(above) === value);
  }
  assert.equal(nextAbove(Number.MAX_VALUE), Number.POSITIVE_INFINITY);
  assert.ok(
    Number.isNaN(nextAbove(Number.POSITIVE_INFINITY)) && Number.isNaN(nextBelow(Number.NEGATIVE_INFINITY)),
  );
});

test('contains all cells added and no others, whatever its size', () => {
  const views = new SharedViews(() => new SharedArrayBuffer(4_096));
  views.reach(0);
  const set = new CellSet();
  const bits = new Uint32Array(11);
  for (const size of [2, 3, 7, 100, 10_000, 40_000, 5]) {
    const cells = BigInt64Array.from({ length: size }, (_, at) => cellOf(at % 3 === 0 ? `s${at}` : at));
    set.fill(cells);
    views.cells.set(cells.subarray(0, Math.min(size, 341)));
    const count = Math.min(size, 341);
    for (let at = 1; at < count; at += 2) views.cells[at] = cellOf(-at);
    isMember(set)({ views, firstCell: 0, count }, bits);
    for (let at = 0; at < count; at++) {
      assert.equal(((bits[at >>> 5] ?? 0) >>> (at & 31)) & 1, at % 2 === 0 ? 1 : 0, `${at} of ${size}`);
    }
  }
});
