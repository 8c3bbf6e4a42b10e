import assert from 'node:assert/strict';
import { it } from 'node:test';
import { graphSettings, graphSql, isEnough } from './graph-sql.ts';
import { Parameters } from './parameters.ts';
import { tablesOf } from './table-names.ts';

it('takes the best of four times as many candidates as are asked for, and of twice as many beyond 1,000', () => {
  const tables = { names: tablesOf('one') };
  for (const [dimension, topK, limits] of [
    [4, 10, ['40', '10']],
    [2_001, 5, ['20', '5']],
    [4, 80, ['$2', '80']],
    [4, 300, ['$3', '$2']],
    [4, 1_000, ['$3', '$2']],
  ] as const) {
    const parameters = new Parameters();
    const values = new Float32Array(dimension);
    const search = { metric: 'dotproduct', dimension, tables, columns: 'id', where: 'true' } as const;
    const sql = graphSql({ ...search, values, topK }, parameters);
    const found = [...sql.matchAll(/\blimit (\S+?)\)?$/gm)].map(([, limit]) => limit);
    assert.deepEqual([found[0], found.at(-1)], limits);
    const bound = parameters.values.slice(1).filter((value) => value !== topK);
    if (topK > 25) assert.deepEqual(bound, [Math.max(2 * topK, Math.min(4 * topK, 1_000))]);
  }
});

it('trusts a graph that has yielded twice as many candidates as are asked for, or nearly all records', () => {
  const yielded = (candidates: number) => [{ candidates }];
  assert.equal(isEnough(yielded(40), 10, 20_000), true);
  assert.equal(isEnough(yielded(20), 10, 20_000), true);
  assert.equal(isEnough(yielded(19), 10, 20_000), false);
  assert.equal(isEnough(yielded(15_000), 10_000, 15_000), true);
  // Of fewer records than twice as many, those that it can reach.
  assert.equal(isEnough(yielded(14_250), 10_000, 15_000), true);
  assert.equal(isEnough(yielded(14_249), 10_000, 15_000), false);
  assert.equal(isEnough(yielded(10_200), 10_200, 10_300), true);
  assert.equal(isEnough(yielded(10_199), 10_200, 10_300), false);
  assert.equal(isEnough(yielded(10_299), 10_400, 10_300), false);
  assert.equal(isEnough([], 10, 20_000), false);
});

it('takes as many as are asked for of a namespace that is too large for an exact search', () => {
  assert.equal(isEnough([{ candidates: 15 }], 10, 200_000), false);
  for (const records of [200_001, 10_000_000]) {
    assert.equal(isEnough([{ candidates: 15 }], 10, records), true);
    assert.equal(isEnough([{ candidates: 10 }], 10, records), true);
    assert.equal(isEnough([{ candidates: 9 }], 10, records), false);
  }
});

it('scans enough records for all candidates of many results', () => {
  const scanned = (topK: number) => Number(/max_scan_tuples = (\d+)/.exec(graphSettings(topK))?.[1]);
  assert.deepEqual([10, 2_500, 10_000].map(scanned), [20_000, 20_000, 80_000]);
});
