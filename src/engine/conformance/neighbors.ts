// Conformance: the nearest records of many, in one call.
import assert from 'node:assert/strict';
import { type Check, SPARSE } from './harness.ts';
import { dense, sparseOnly } from './sample-data.ts';

export function neighbors(check: Check): void {
  check('finds the neighbors of many records, without the records themselves', {}, async (index) => {
    await index.writer.upsert('n', [
      dense('a', [1, 0, 0, 0]),
      dense('b', [0.9, 0.1, 0, 0]),
      dense('c', [0, 1, 0, 0]),
      dense('d', [0, 0.9, 0.2, 0]),
    ]);
    const found = await index.neighbors({ namespace: 'n', ids: ['a', 'none', 'd', 'b'], limit: 2 });
    assert.deepEqual(found.counts, [2, 0, 2, 2]);
    assert.deepEqual([found.ids[0], found.ids[2], found.ids[4]], ['b', 'c', 'a']);
    assert.equal(found.ids.length, found.scores.length);
    assert.ok((found.scores[0] ?? 0) > (found.scores[1] ?? 0));
    const none = await index.neighbors({ namespace: 'missing', ids: ['a'], limit: 2 });
    assert.deepEqual([none.counts, none.ids], [[0], []]);
  });
  check('finds neighbors by sparse vectors where there are no others', SPARSE, async (index) => {
    await index.writer.upsert('', [
      sparseOnly('a', [[1, 1]]),
      sparseOnly('b', [
        [1, 0.5],
        [2, 1],
      ]),
      sparseOnly('c', [[3, 1]]),
    ]);
    const found = await index.neighbors({ namespace: '', ids: ['a', 'c'], limit: 3 });
    assert.deepEqual([found.counts, found.ids], [[1, 0], ['b']]);
  });
}
