// Changes of the text field of an integrated index: every earlier one is remembered, once, up to a bound.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { IndexEmbedding } from './index-embedding.ts';
import { withTextField } from './text-field.ts';

const EMBED: IndexEmbedding = {
  model: 'm',
  textField: 'a',
  writeParameters: {},
  readParameters: {},
  source: { provider: 'p', revision: '1' },
  remaking: null,
};
const renamed = (...names: readonly string[]) => names.reduce(withTextField, EMBED);
const fieldsOf = ({ textField, formerTextFields }: IndexEmbedding) => [textField, formerTextFields];

it('remembers earlier text fields, the last first, and none twice', () => {
  assert.deepEqual(fieldsOf(renamed('b', 'c')), ['c', ['b', 'a']]);
  assert.deepEqual(fieldsOf(renamed('b', 'a')), ['a', ['b']]);
  assert.deepEqual(fieldsOf(renamed('b', 'a', 'b')), ['b', ['a']]);
  assert.equal(withTextField(EMBED, 'a'), EMBED);
});

it('refuses a new text field when too many have been used, and still takes one of them', () => {
  const full = renamed(...Array.from({ length: 100 }, (_, number) => `f${number}`));
  assert.equal(full.formerTextFields?.length, 100);
  assert.throws(() => withTextField(full, 'more'), { condition: 'invalid-argument' });
  assert.deepEqual(fieldsOf(withTextField(full, 'a'))[0], 'a');
});
