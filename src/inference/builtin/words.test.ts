// Guarantees of the frozen tokenization rule, malicious text included.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertBounded } from '../../platform/testing/processor-time.ts';
import { countTokens, truncateTo } from './tokens.ts';
import { wordsOf } from './words.ts';

const RULE: readonly (readonly [text: string, words: readonly string[]])[] = [
  ["AAPL's year-over-year growth", ['aapl', 's', 'year', 'over', 'year', 'growth']],
  ['ﬁne ㎏ Ⅷ ＡＢＣ', ['fine', 'kg', 'viii', 'abc']],
  ['naïve nai\u0308ve', ['naïve', 'naïve']],
  ['snake_case a1 42', ['snake_case', 'a1', '42']],
  ['Привет, МИР!', ['привет', 'мир']],
  ['東京都に住む', ['東京', '都', 'に', '住む']],
  ['ภาษาไทย', ['ภาษา', 'ไทย']],
  ['a\ud800b \udc00', ['a', 'b']],
  ['', []],
  ['!?  —', []],
];

test('keeps the rule by which stored vectors were made', () => {
  for (const [text, words] of RULE) assert.deepEqual(wordsOf(text), words, text);
});

test('finds the same words by the fast path for ASCII as by the general rule', () => {
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 80 });
  fc.assert(
    fc.property(ascii, (text) => {
      assert.deepEqual(wordsOf(text), wordsOf(`${text} é`).slice(0, -1));
    }),
    { seed: 21, numRuns: 300 },
  );
});

test('finds the words of the whole in a text in pieces', () => {
  const long = fc.array(fc.constantFrom('é', 'word', ' ', 'Ω', 'ﬁ', '-'), {
    minLength: 500,
    maxLength: 1_500,
  });
  fc.assert(
    fc.property(long, (parts) => {
      const text = parts.join('');
      const whole =
        text
          .normalize('NFKC')
          .toLowerCase()
          .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
      assert.deepEqual(wordsOf(text), whole);
    }),
    { seed: 22, numRuns: 30 },
  );
});

test('truncates a text to its first or last words, as they are written', () => {
  assert.equal(truncateTo('The API of ACME-Corp. (v2), "fast"!', 5, 'END'), 'The API of ACME-Corp');
  assert.equal(truncateTo('The API of ACME-Corp. (v2), "fast"!', 2, 'START'), '(v2), "fast"!');
  assert.equal(truncateTo('東京都に住む', 2, 'END'), '東京都');
  const text = fc.string({
    unit: fc.constantFrom('a', 'B', ' ', '-', '.', 'é', 'e\u0301', '…', '㏂', '=', '\u0338', '\ud83d\ude00'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 20 }), (text, tokensMax) => {
      const words = wordsOf(text);
      const [first, last] = [truncateTo(text, tokensMax, 'END'), truncateTo(text, tokensMax, 'START')];
      assert.ok(text.startsWith(first) && text.endsWith(last));
      // Of a character that is several words, all or none are kept.
      if (text.includes('㏂')) return;
      assert.deepEqual(wordsOf(first), words.slice(0, tokensMax));
      assert.deepEqual(wordsOf(last), words.slice(-tokensMax));
    }),
    { seed: 23, numRuns: 1_000 },
  );
});

test('truncates to the limit in every script, between characters', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'B', ' ', '-', '㏂', '東', '京', 'に', '\ud83d\ude00', '\ud835\udc9c'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 20 }), (text, tokensMax) => {
      for (const cut of ['START', 'END'] as const) {
        const kept = truncateTo(text, tokensMax, cut);
        assert.ok(countTokens(kept) <= tokensMax && kept.isWellFormed());
        if (countTokens(text) <= tokensMax) assert.equal(kept, text);
      }
    }),
    { seed: 24, numRuns: 1_000 },
  );
});

test('takes linear time for hundreds of thousands of characters of the worst kinds', async (context) => {
  const hostile = {
    marks: `a${'\u0301\u0323'.repeat(150_000)}`,
    'one word': 'a'.repeat(1_000_000),
    signs: '東'.repeat(300_000),
    surrogates: '\ud800'.repeat(1_000_000),
    expanding: '\ufdfa'.repeat(100_000),
  };
  for (const [kind, text] of Object.entries(hostile)) {
    await context.test(kind, async () => void (await assertBounded(() => countTokens(text))));
    await context.test(`truncating ${kind}`, async () => {
      await assertBounded(() => truncateTo(`${text}-${text}`, 2, 'END'));
      await assertBounded(() => truncateTo(`${text}…${text}`, 1, 'START'));
    });
  }
});
