// Guarantees of pairs that are truncated by words: the query is kept wherever the model reads it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fitPairs, inBatchOrder } from './fit-texts.ts';
import type { RerankBatch } from './ports.ts';

const words = (word: string, count: number) => Array(count).fill(word).join(' ');
const lengthOf = (text: string) => text.split(' ').filter(Boolean).length;

type Sizes = Pick<RerankBatch, 'limitCounts' | 'pairTokensMax' | 'parameters'> & {
  readonly query: number;
  readonly documents: readonly number[];
};

/** The lengths of query and document of each pair, in words. */
function fitted({
  query,
  documents,
  ...limits
}: Sizes): readonly (readonly [query: number, document: number])[] {
  const batch = {
    ...{ ...limits, query: words('q', query) },
    documents: documents.map((count) => words('d', count)),
  };
  const pairs: [number, number][] = [];
  for (const group of fitPairs(batch))
    for (const [at, position] of group.positions.entries())
      pairs[position] = [lengthOf(group.query), lengthOf(group.documents[at] ?? '')];
  return pairs;
}

describe('pairs of a query and documents', () => {
  test('keep the whole query under a limit of documents, as far as the model reads both', () => {
    const limits = {
      limitCounts: 'document',
      pairTokensMax: 100,
      parameters: { truncate: 'END', tokensMax: 10 },
    } as const;
    assert.deepEqual(fitted({ ...limits, query: 60, documents: [5, 10, 30] }), [
      [60, 5],
      [60, 10],
      [60, 10],
    ]);
    assert.deepEqual(fitted({ ...limits, query: 95, documents: [5, 6, 30] }), [
      [95, 5],
      [50, 6],
      [50, 10],
    ]);
  });

  test('lose words of the query only where both exceed the limit together', () => {
    const limits = {
      limitCounts: 'pair',
      pairTokensMax: 20,
      parameters: { truncate: 'START', tokensMax: 20 },
    } as const;
    assert.deepEqual(fitted({ ...limits, query: 14, documents: [6, 7, 40, 1] }), [
      [14, 6],
      [10, 7],
      [10, 10],
      [14, 1],
    ]);
    assert.deepEqual(fitted({ ...limits, query: 4, documents: [16, 40] }), [
      [4, 16],
      [4, 16],
    ]);
  });

  test('are truncated as if each were alone, and scored in their order', () => {
    const limits = {
      limitCounts: 'pair',
      pairTokensMax: 20,
      parameters: { truncate: 'END', tokensMax: 20 },
    } as const;
    const documents = [30, 2, 9, 12, 5];
    const together = fitted({ ...limits, query: 13, documents });
    const alone = documents.flatMap((count) => fitted({ ...limits, query: 13, documents: [count] }));
    assert.deepEqual(together, alone);
    const batch = {
      ...limits,
      query: words('q', 13),
      documents: documents.map((count) => words('d', count)),
    };
    const pairs = fitPairs(batch);
    assert.equal(pairs.length, 2);
    const scores = inBatchOrder(
      pairs,
      pairs.map(({ positions }) => positions),
    );
    assert.deepEqual(scores, [0, 1, 2, 3, 4]);
  });
});
