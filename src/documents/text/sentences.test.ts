// Tests where sentences begin and end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertBounded } from '../../platform/testing/processor-time.ts';
import { sentencesOf } from './sentences.ts';

function split(text: string): string[] {
  return sentencesOf(text).map(({ start, end }) => text.slice(start, end));
}

test('continues a sentence after abbreviations, initials and numbers', () => {
  assert.deepEqual(split('Ask Dr. Brown, e.g. Monday. See Fig. 3 and No. 5. J. K. Lee left.'), [
    'Ask Dr. Brown, e.g. Monday.',
    'See Fig. 3 and No. 5.',
    'J. K. Lee left.',
  ]);
  assert.deepEqual(split('1. Open it. 2. Close it.'), ['1. Open it.', '2. Close it.']);
  assert.deepEqual(split('No. That is all.'), ['No.', 'That is all.']);
});

test('treats line ends in running text as spaces', () => {
  assert.deepEqual(split('It goes\non here. And\nhere.'), ['It goes\non here.', 'And\nhere.']);
});

test('ends sentences of other scripts', () => {
  assert.deepEqual(split('東京です。大阪です。'), ['東京です。', '大阪です。']);
  assert.deepEqual(split('Really?! Yes… “Quoted.” End'), ['Really?!', 'Yes… “Quoted.”', 'End']);
});

test('covers all of the text but white space, in order, with trimmed sentences', () => {
  const unit = fc.constantFrom('a', 'B', '. ', '.', '! ', '\n', ' ', '1', 'Dr. ', '。', '👩‍🚀', '\u0301');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
      const spans = sentencesOf(text);
      const outside = spans.reduceRight(
        (rest, { start, end }) => rest.slice(0, start) + rest.slice(end),
        text,
      );
      assert.equal(outside.trim(), '');
      for (const [at, { start, end }] of spans.entries()) {
        assert.ok(start >= (spans[at - 1]?.end ?? 0) && end > start);
        assert.equal(text.slice(start, end), text.slice(start, end).trim());
      }
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('takes work in proportion to the length of the text', () =>
  assertBounded(() => {
    assert.equal(sentencesOf('One more here. '.repeat(60_000)).length, 60_000);
    sentencesOf('a.'.repeat(500_000));
    sentencesOf(`${' '.repeat(500_000)}Dr. ${'Dr. '.repeat(20_000)}`);
  }));
