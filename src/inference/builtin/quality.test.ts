// A gate on retrieval quality, so that no change of words, weights or tables can lose it unnoticed (bench/retrieval has more).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { qualityOf, rankOf } from '../../../bench/retrieval/measures.ts';
import {
  denseRanker,
  hybridRanker,
  libraryRanker,
  type Ranker,
  reranked,
  rerankedBoth,
  sparseRanker,
} from '../../../bench/retrieval/rankers.ts';
import { documentation, paraphrases, type RetrievalSet } from '../../../bench/retrieval/sets.ts';

/** Of paraphrases, with vectors of 384 and of 1,024 numbers. */
const SMALL_MRR = 0.66;
const LARGE_MRR = 0.7;
const RERANKED_MRR = 0.72;
/** At least this much nDCG@10 more than whole words alone. */
const EXPANSION_GAIN = 0.15;
/** What a change may lose beside the figures in bench/retrieval/RESULTS.md. */
const TOLERANCE = 0.03;

function quality({ queries }: RetrievalSet, ranker: Ranker) {
  return qualityOf(queries.map(({ text, answer }) => rankOf(ranker(text), answer)));
}

/** Scores each query once, however many rankers ask for it. */
function remembered(ranker: Ranker): Ranker {
  const known = new Map<string, Float64Array>();
  return (query) => {
    const scores = known.get(query) ?? ranker(query);
    known.set(query, scores);
    return scores;
  };
}

test('finds passages that answer in other words, at every vector size', () => {
  const set = paraphrases();
  assert.ok(set.queries.length >= 120);
  const stems = sparseRanker(set.passages, 'stems');
  const hybrid = (dimension: number) => remembered(hybridRanker(denseRanker(set.passages, dimension), stems));
  const large = hybrid(1_024);
  for (const [ranker, mrr] of [
    [hybrid(384), SMALL_MRR],
    [large, LARGE_MRR],
    [reranked(large, set.passages), RERANKED_MRR],
  ] as const) {
    const { mrr10 } = quality(set, ranker);
    assert.ok(mrr10 >= mrr - TOLERANCE, `${mrr10} instead of ${mrr}`);
  }
});

test('finds sections by their headings no worse than a plain BM25', () => {
  const set = documentation();
  const dense = remembered(denseRanker(set.passages, 1_024));
  const [words, stems] = (['words', 'stems'] as const).map((form) =>
    remembered(sparseRanker(set.passages, form)),
  );
  assert.ok(words !== undefined && stems !== undefined);
  const both = rerankedBoth(dense, words, set.passages);
  const plain = quality(set, libraryRanker(set.passages)).ndcg10;
  for (const ranker of [hybridRanker(dense, words), hybridRanker(dense, stems), both]) {
    const { ndcg10 } = quality(set, ranker);
    assert.ok(ndcg10 >= plain - TOLERANCE, `${ndcg10} beside ${plain}`);
  }
});

test('expands queries of sparse search to the gain of sections and of paraphrases', () => {
  for (const [set, gain] of [
    [documentation(), 0],
    [paraphrases(), EXPANSION_GAIN],
  ] as const) {
    const of = (form: 'words' | 'expanded words') => quality(set, sparseRanker(set.passages, form)).ndcg10;
    assert.ok(of('expanded words') >= of('words') + gain, set.name);
  }
});
