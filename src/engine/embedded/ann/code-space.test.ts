// Guarantees of what codes describe: distances and cosines follow from it whatever the origin.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { CodeSpace } from './code-space.ts';

const DIMENSION = 24;
const random = new Random(6);
const vector = (offset: number) => Float32Array.from({ length: DIMENSION }, () => offset + random.normal());
const sum = (values: Iterable<number>) => Array.from(values).reduce((total, value) => total + value, 0);
const dot = (a: Float32Array, b: Float32Array) => sum(a.map((value, at) => value * (b[at] ?? 0)));
const squaredDistance = (a: Float32Array, b: Float32Array) =>
  sum(Array.from(a, (value, at) => (value - (b[at] ?? 0)) ** 2));
const closeTo = (actual: number, wanted: number, scale: number) =>
  assert.ok(Math.abs(actual - wanted) <= 1e-5 * scale, `${actual}, not ${wanted}`);

describe('CodeSpace', () => {
  it('has squared distances of vectors as those of what codes describe', () => {
    const space = new CodeSpace('euclidean', vector(30));
    assert.equal(space.metric, 'euclidean');
    for (let i = 0; i < 50; i++) {
      const [a, b] = [vector(30), vector(30)];
      closeTo(-squaredDistance(space.place(a), space.place(b)), space.keyOf(squaredDistance(a, b)), 50);
    }
  });

  it('has cosines of vectors as distances of what codes describe', () => {
    const unit = vector(3);
    const space = new CodeSpace(
      'cosine',
      unit.map((value) => value / Math.sqrt(dot(unit, unit))),
    );
    assert.equal(space.metric, 'euclidean');
    for (let i = 0; i < 50; i++) {
      const [a, b] = [vector(3), vector(3)];
      const cosine = dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
      closeTo(-squaredDistance(space.place(a), space.place(b)), space.keyOf(cosine), 1);
    }
    assert.ok(space.place(new Float32Array(DIMENSION)).every(Number.isFinite));
  });

  it('gives scores back from their keys, better ones from higher keys', () => {
    for (const space of [
      new CodeSpace('euclidean', null),
      new CodeSpace('euclidean', vector(9)),
      new CodeSpace('cosine', null),
      new CodeSpace('cosine', vector(9)),
      new CodeSpace('dotproduct', null),
    ]) {
      const scores = [-1, -0.25, 0, 1e-9, 0.7, 1];
      for (const score of scores) closeTo(space.scoreOf(space.keyOf(score)), score, 1e-10);
      const keys = scores.map((score) => space.keyOf(score));
      assert.deepEqual(
        keys.toSorted((a, b) => a - b),
        space.keyOf(0) > space.keyOf(1) ? keys.toReversed() : keys,
      );
    }
  });

  it('leaves vectors without an origin as they are', () => {
    const values = vector(2);
    for (const metric of ['euclidean', 'cosine', 'dotproduct'] as const) {
      const space = new CodeSpace(metric, null);
      assert.equal(space.place(values), values);
      assert.equal(space.metric, metric);
    }
  });
});
