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

const PARAPHRASES_MRR = { 384: 0.66, 1024: 0.7 } as const;
const RERANKED_MRR = 0.72;
/** What a change may lose beside the figures in bench/retrieval/RESULTS.md. */
const TOLERANCE = 0.03;

function quality({ queries }: RetrievalSet, ranker: Ranker) {
  return qualityOf(queries.map(({ text, answer }) => rankOf(ranker(text), answer)));
}

test('passages that answer in other words are found, at every size of vector', () => {
  const set = paraphrases();
  assert.ok(set.queries.length >= 120);
  const stems = sparseRanker(set.passages, 'stems');
  for (const [dimension, mrr] of Object.entries(PARAPHRASES_MRR)) {
    const dense = denseRanker(set.passages, Number(dimension));
    const { mrr10 } = quality(set, hybridRanker(dense, stems));
    assert.ok(mrr10 >= mrr - TOLERANCE, `${dimension}: ${mrr10}`);
  }
  const hybrid = hybridRanker(denseRanker(set.passages, 1_024), stems);
  assert.ok(quality(set, reranked(hybrid, set.passages)).mrr10 >= RERANKED_MRR - TOLERANCE);
});

test('sections are found by their headings no worse than by a plain BM25', () => {
  const set = documentation();
  const dense = denseRanker(set.passages, 1_024);
  const [words, stems] = (['words', 'stems'] as const).map((form) => sparseRanker(set.passages, form));
  assert.ok(words !== undefined && stems !== undefined);
  const both = rerankedBoth(dense, words, set.passages);
  const plain = quality(set, libraryRanker(set.passages)).ndcg10;
  for (const ranker of [hybridRanker(dense, words), hybridRanker(dense, stems), both]) {
    const { ndcg10 } = quality(set, ranker);
    assert.ok(ndcg10 >= plain - TOLERANCE, `${ndcg10} beside ${plain}`);
  }
});
