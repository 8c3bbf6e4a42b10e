// Guarantees of answers that are cut for language models: what is left is whole, and the note says what is not there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownFields } from './fit-answer.ts';

test('cuts no character in two, wherever the end of a text comes to lie', () => {
  const text = 'birds \u{1F426}\u{1F426}\u{1F426} at the water';
  for (let textCharsMax = 1; textCharsMax < text.length; textCharsMax++) {
    const { text: cut } = shownFields({ text }, { textCharsMax });
    assert.ok(String(cut).isWellFormed(), `${textCharsMax}: ${cut}`);
    const [, shown = '', more] = /^(.*)\.\.\. \[(\d+) more characters\]$/.exec(String(cut)) ?? [];
    assert.ok(text.startsWith(shown) && shown.length <= textCharsMax);
    assert.equal(Number(more), text.length - shown.length);
  }
});
