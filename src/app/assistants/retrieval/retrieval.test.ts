// Fusing rankings and joining chunks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FoundChunk } from '../chunks/found-chunk.ts';
import { adjacentPositions, groupChunks, joined, widen } from './join-chunks.ts';
import { rankCandidates } from './rank-candidates.ts';

const TEXT = Array.from({ length: 40 }, (_, at) => `sentence ${at}.`).join('\n\n');

/** Chunks of three sentences of which the last is repeated by the next chunk. */
function chunkOf(number: number, revisionId = 'r'): FoundChunk {
  const starts = [...TEXT.matchAll(/sentence/g)].map(({ index }) => index);
  const start = starts[number * 2] ?? 0;
  const end = (starts[number * 2 + 3] ?? TEXT.length + 2) - 2;
  return {
    revisionId,
    number,
    start,
    text: TEXT.slice(start, end),
    tokens: 10,
    headings: [],
    pageStarts: [{ page: number + 1, start }],
  };
}

const NEAR = { text: 'The gate of the harbor opens at nine.', meaning: 0.6 };
const ALIKE = { text: 'A cleaned pump lasts ten years.', meaning: 0.5 };
const FAR = { text: 'The roof is red.', meaning: 0.3 };

test('ranks by shared words where a question shares most of them, else by meaning', async () => {
  const scores = await rankCandidates('How long does a cleaned pump last?', [NEAR, ALIKE, FAR], {
    by: 'built-in',
  });
  assert.ok((scores[1] ?? 0) > (scores[0] ?? 0) && (scores[0] ?? 0) > (scores[2] ?? 0));
  const [near = 0, alike = 0] = await rankCandidates('When may boats enter?', [NEAR, ALIKE], {
    by: 'built-in',
  });
  assert.ok(near > alike);
  assert.deepEqual([...(await rankCandidates('x', [], { by: 'built-in' }))], []);
});

test('ranks words that most of a question shares above a model that is nearly undecided, and few words below it', async () => {
  const near = { ...NEAR, meaning: 0.52 };
  const most = await rankCandidates('How long does a cleaned pump last?', [near, ALIKE, FAR], {
    by: 'model',
  });
  assert.ok((most[1] ?? 0) > (most[0] ?? 0));
  const question = 'When may a captain with a pump enter the port of the town?';
  const few = await rankCandidates(question, [near, ALIKE, FAR], { by: 'model' });
  assert.ok((few[0] ?? 0) > (few[1] ?? 0));
});

test('keeps scores between 0 and 1, and the order of a model where words say nothing', async () => {
  for (const by of ['built-in', 'model'] as const) {
    const scores = await rankCandidates('zzz', [NEAR, ALIKE, FAR], { by });
    assert.ok(scores.every((score) => score >= 0 && score <= 1));
    assert.deepEqual(
      [...scores].sort((a, b) => b - a),
      [...scores],
    );
  }
});

test('joins a snippet of consecutive chunks within the budget, each chunk once', () => {
  const numbers = fc.uniqueArray(fc.nat(18), { maxLength: 12 });
  fc.assert(
    fc.property(
      numbers,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 8 }),
      (found, size, max) => {
        const ranked = found.map((number, at) => ({ chunk: chunkOf(number), score: 1 - at / 100 }));
        const options = { snippetsMax: max, tokensMax: size * 10 };
        const grouped = groupChunks(ranked, options);
        assert.ok(grouped.length <= max);
        const beside = adjacentPositions(grouped).map(({ number }) => chunkOf(number));
        const wide = widen(grouped, beside, options);
        const seen = wide.flatMap(({ chunks }) => chunks.map(({ number }) => number));
        assert.equal(new Set(seen).size, seen.length);
        for (const snippet of wide) {
          const { text, start, tokens, pageStarts } = joined(snippet);
          const last = snippet.chunks.at(-1);
          assert.equal(text, TEXT.slice(start, (last?.start ?? 0) + (last?.text.length ?? 0)));
          assert.ok(tokens <= options.tokensMax);
          assert.deepEqual(
            pageStarts?.map(({ page }) => page),
            snippet.chunks.map(({ number }) => number + 1),
          );
        }
        const scores = wide.map(({ score }) => score);
        assert.deepEqual(
          scores,
          scores.toSorted((a, b) => b - a),
        );
      },
    ),
    { seed: 73 },
  );
});

test('never joins chunks of two files', () => {
  const ranked = [chunkOf(1, 'a'), chunkOf(2, 'b')].map((chunk) => ({ chunk, score: 1 }));
  assert.equal(groupChunks(ranked, { snippetsMax: 9, tokensMax: 99 }).length, 2);
});
