import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contenders, leastEffort } from './contenders.ts';

const point = (kind: string, qps: number, recall: number) => ({ kind, qps, recall });
const kindOf = ({ kind }: { readonly kind: string }) => kind;

test('ours is the least effort that finds enough, not the one that chance made the fastest', () => {
  const points = [point('a', 900, 0.97), point('a', 500, 0.986), point('a', 600, 0.99)];
  assert.equal(leastEffort(points, 0.985), points[1]);
  assert.equal(leastEffort(points, 0.999), null);
});

test('selects the two fastest peers of each kind with enough recall, unless much slower than the fastest of all', () => {
  const points = [
    point('a', 1_000, 0.99),
    point('a', 800, 0.99),
    point('a', 700, 0.99),
    point('b', 501, 0.99),
    point('b', 499, 0.99),
    point('b', 2_000, 0.98),
  ];
  const chosen = contenders(points, { recall: 0.985, kindOf, speedOf: ({ qps }) => qps });
  assert.deepEqual(
    chosen.map(({ qps }) => qps),
    [1_000, 800, 501],
  );
});
