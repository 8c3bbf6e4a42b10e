// What a file says is quoted to whoever asks in its words, in every language that is divided into terms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { scorerOf } from '../../../../inference/builtin/encoders.ts';
import { rankCandidates } from '../../retrieval/rank-candidates.ts';
import type { RetrievedChunk } from '../answer-model.ts';
import { extractiveAnswer, FOUND } from './extractive-answer.ts';
import { SENTENCES } from './testing/sentences.ts';

const SENTENCES_A_CHUNK = 2;
/** Least share of a sentence that a question repeats. */
const SHARE_MIN = 0.6;
const UNSPACED = new Set(['Chinese', 'Japanese']);

/** Chunks of two sentences, a file per language. */
const CHUNKS: readonly RetrievedChunk[] = Object.entries(SENTENCES).flatMap(([language, sentences]) =>
  Array.from({ length: sentences.length / SENTENCES_A_CHUNK }, (_, number) => ({
    fileId: language,
    number,
    text: sentences
      .slice(number * SENTENCES_A_CHUNK, (number + 1) * SENTENCES_A_CHUNK)
      .join(UNSPACED.has(language) ? '' : ' '),
    start: number * 1_000,
    headings: [],
    type: 'text',
  })),
);

async function answer(question: string): Promise<string> {
  const candidates = CHUNKS.map(({ text }) => ({ text, meaning: 0 }));
  const scores = await rankCandidates(question, candidates, { by: 'built-in' });
  const order = [...CHUNKS.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const chunks = order.flatMap((at) => CHUNKS[at] ?? []);
  return (await extractiveAnswer({ question, chunks }, scorerOf)).content;
}

/** A part of a sentence, cut between words where it has spaces. */
function part(language: string, sentence: string, from: number): string {
  const bare = sentence.replace(/[.。]$/u, '');
  const pieces = UNSPACED.has(language) ? [...bare] : bare.split(' ');
  const length = Math.ceil(pieces.length * SHARE_MIN);
  const start = Math.floor(from * (pieces.length - length + 1));
  return pieces.slice(start, start + length).join(UNSPACED.has(language) ? '' : ' ');
}

for (const [language, sentences] of Object.entries(SENTENCES)) {
  test(`quotes a sentence whose words are asked for, and claims no absence: ${language}`, async () => {
    for (const sentence of sentences) {
      const content = await answer(sentence.replace(/[.。]$/u, '?'));
      assert.ok(content.startsWith(FOUND) && content.includes(sentence), `${sentence} <- ${content}`);
    }
    const asked = fc.tuple(fc.constantFrom(...sentences), fc.double({ min: 0, max: 0.99, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(asked, async ([sentence, from]) => {
        const question = `${part(language, sentence, from)}?`;
        const content = await answer(question);
        assert.ok(content.startsWith(FOUND), `${question} <- ${content}`);
        assert.ok(content.includes(sentence), `${question} <- ${content}`);
      }),
      { seed: 23, numRuns: 20 },
    );
  });
}
