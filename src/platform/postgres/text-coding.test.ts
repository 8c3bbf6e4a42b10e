// Guarantees of stored text: every string comes back as it was.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromStoredText, toStoredText } from './text-coding.ts';

const SEED = 47;
const piece = fc.constantFrom('a', '0', '1', '\0', '\u{f0000}', '\u{f0000}0', 'é', '');

test('restores every text, and stores no NUL', () => {
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      const stored = toStoredText(text);
      assert.ok(!stored.includes('\0'));
      assert.equal(fromStoredText(stored), text);
    }),
    { seed: SEED },
  );
});

test('leaves ordinary text as it is', () => {
  assert.equal(toStoredText("it's; drop table"), "it's; drop table");
});
