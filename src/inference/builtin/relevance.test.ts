// Guarantees of the reranker: bounds, independence of other documents, and the order that a person would choose.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertBounded } from '../../platform/testing/processor-time.ts';
import { relevance } from './relevance.ts';

test('ranks documents with the same words before those of the same meaning, and those before others', () => {
  const [same = 0, like = 0, other = 1, empty = 1] = relevance('car battery is empty', [
    'when the car battery is empty',
    'a vehicle whose accumulator has no charge',
    'cheese is made of milk',
    '',
  ]);
  assert.ok(same > like && like > other && other > empty, [same, like, other, empty].join(' '));
  assert.equal(empty, 0);
});

test('gives scores from 0 to 1 that depend on their own document alone', () => {
  const text = fc.array(fc.constantFrom('car', 'auto', 'the', 'zzyx', 'Ü', '東', '\ud800', '!', '12'), {
    maxLength: 30,
  });
  const documents = fc.array(text, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(text, documents, (query, documents) => {
      const texts = documents.map((words) => words.join(' '));
      const scores = relevance(query.join(' '), texts);
      assert.equal(scores.length, texts.length);
      for (const [i, score] of scores.entries()) {
        assert.ok(score >= 0 && score <= 1, `${score}`);
        assert.equal(relevance(query.join(' '), [texts[i] ?? ''])[0], score);
      }
    }),
    { seed: 51, numRuns: 200 },
  );
});

test('finds a document more relevant to its own words than to any other query of the list', () => {
  const texts = [
    'manage locks from shell scripts',
    'bake bread without yeast',
    'fear of spiders',
    'old coins',
  ];
  for (const [own, text] of texts.entries()) {
    const scores = relevance(text, texts);
    assert.equal(scores.indexOf(Math.max(...scores)), own);
    assert.ok((scores[own] ?? 0) > 0.8);
  }
});

test('bounds the work of a query of twenty thousand words', async () => {
  const query = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(' ');
  await assertBounded(() => relevance(query, ['word1 word2', 'a']));
});
