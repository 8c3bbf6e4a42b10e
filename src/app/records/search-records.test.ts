// Searches by text: what the texts rank comes first, what only the sparse vector finds follows.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Entries, sampleQuery, sparseOf } from '../../engine/conformance/sample-data.ts';
import type { VectorReader } from './record-access.ts';
import { searchStoreByText, textSearches } from './search-records.ts';

type Scores = Readonly<Record<string, number>>;

/** Finds these records by texts, and by sparse vectors. */
function reader({
  text,
  sparse,
}: {
  readonly text?: Scores;
  readonly sparse?: Scores;
}): Pick<VectorReader, 'query'> {
  return {
    query: async (request) => {
      const found = request.text ? text : sparse;
      if (found === undefined) throw new Error('this search was not expected');
      return Object.entries(found)
        .map(([id, score]) => ({ id, score }))
        .slice(0, request.topK);
    },
  };
}

const WORDS: Entries = [[1, 1]];
const request = (topK: number) =>
  sampleQuery({ topK, sparse: sparseOf(WORDS), text: { kind: 'term', field: 'text', term: 'flood' } });
const TEXTS: Scores = { a: 4, b: 2 };
const VECTORS: Scores = { v: 9, b: 5, w: 1 };

it('appends what only the vector finds, with scores that do not rise', async () => {
  const matches = await searchStoreByText(reader({ text: TEXTS, sparse: VECTORS }), request(10));
  assert.deepEqual(
    matches.map(({ id, score }) => [id, score]),
    [
      ['a', 4],
      ['b', 2],
      ['v', 2],
      ['w', 1],
    ],
  );
});

it('returns no more matches than requested, and searches by the vector only where texts are too few', async () => {
  const cut = await searchStoreByText(reader({ text: TEXTS, sparse: VECTORS }), request(3));
  assert.deepEqual(
    cut.map(({ id }) => id),
    ['a', 'b', 'v'],
  );
  const enough = await searchStoreByText(reader({ text: TEXTS }), request(2));
  assert.deepEqual(
    enough.map(({ id }) => id),
    ['a', 'b'],
  );
});

it('ranks by the vector alone where the texts have no match, or rank nothing', async () => {
  const scores = (matches: readonly { readonly score: number }[]) => matches.map(({ score }) => score);
  const none = await searchStoreByText(reader({ text: {}, sparse: VECTORS }), request(10));
  assert.deepEqual(scores(none), [9, 5, 1]);
  const dense = await searchStoreByText(reader({ sparse: VECTORS }), { ...request(10), text: null });
  assert.deepEqual(scores(dense), [9, 5, 1]);
});

it('has no record of a later search for the same answer above what the texts have ranked in an earlier one', async () => {
  const search = textSearches();
  await search(reader({ text: TEXTS, sparse: VECTORS }), request(3));
  const later = await search(reader({ text: {}, sparse: { x: 8, y: 1 } }), request(6));
  assert.deepEqual(
    later.map(({ id, score }) => [id, score]),
    [
      ['x', 2],
      ['y', 1],
    ],
  );
});
