// The part of a long text that is tokenized has what a model reads under the limit, whatever blanks are around it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBounded } from '../platform/testing/processor-time.ts';
import { fitText } from './fit-texts.ts';
import { readablePart } from './readable-part.ts';

const LIMITS = { tokensMax: 4 };
const CHARS = 320;
const BLANKS = ' \n\t\u00a0\u3000'.repeat(2_000);

test('begins and ends with the words that are read, behind any run of blanks', () => {
  const words = 'one two three four five six seven eight';
  for (const text of [
    BLANKS + words + BLANKS,
    words.replaceAll(' ', BLANKS),
    `${BLANKS}one${BLANKS}two ${'x'.repeat(CHARS)} seven${BLANKS}eight${BLANKS}`,
  ])
    for (const [truncate, first] of [
      ['END', /^one\s+two/],
      ['START', /seven\s+eight$/],
    ] as const) {
      const part = readablePart(text, { ...LIMITS, truncate });
      assert.ok(part.length <= CHARS, `${part.length}`);
      assert.match(part, first);
      assert.match(fitText(part, 0, { ...LIMITS, truncate }).text.trim(), first);
    }
});

test('leaves a text as it is that is short, or must not be truncated', () => {
  const short = `  a${' '.repeat(200)}b  `;
  for (const truncate of ['END', 'START', 'NONE'] as const)
    assert.equal(readablePart(short, { ...LIMITS, truncate }), short);
  assert.equal(readablePart(BLANKS, { ...LIMITS, truncate: 'NONE' }), BLANKS);
});

test('keeps shorter runs of blanks, and halves of no character', () => {
  const text = `${' a\n\n  b'.repeat(40)}${'\u{1f600}'.repeat(200)}`;
  assert.equal(readablePart(text, { ...LIMITS, truncate: 'END' }), text.slice(1, CHARS + 1).toWellFormed());
  assert.ok(readablePart(`x${text}`, { ...LIMITS, truncate: 'START' }).isWellFormed());
});

test('reads a megabyte of blanks in linear time', async () => {
  for (const run of [1, 63, 64, 65, 1_000_000]) {
    const text = `${' '.repeat(run)}x`.repeat(Math.ceil(1_000_000 / run));
    for (const truncate of ['END', 'START'] as const)
      assert.notEqual((await assertBounded(() => readablePart(text, { ...LIMITS, truncate }))).trim(), '');
  }
});
