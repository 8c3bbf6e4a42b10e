// The rules for tags and for merging them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from './faults.ts';
import { checkTags, mergeTags, type TagAlphabet, type Tags } from './tags.ts';
import { ANY_CHARACTER } from './testing/any-character.ts';

const SETTINGS = { seed: 5, numRuns: 500 };

function refused(tags: Tags, alphabet: TagAlphabet): boolean {
  try {
    checkTags(tags, alphabet);
    return false;
  } catch (error) {
    assert.ok(error instanceof Fault && error.condition === 'invalid-argument');
    return true;
  }
}

const WORD = [...'abcXYZ019'];
const anyText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 130 }),
  fc.string({ unit: fc.constantFrom(...WORD, ...'_-;@.+ /'), maxLength: 130 }),
);

test('accepts a tag exactly when its key and value follow the rules', () => {
  const alphabets = {
    standard: new Set([...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789;@_-.+ ']),
    printable: new Set(Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))),
  };
  fc.assert(
    fc.property(anyText, anyText, fc.constantFrom('standard', 'printable'), (key, value, alphabet) => {
      const keyFits =
        key.length <= 80 && key !== '' && [...key].every((letter) => /[A-Za-z0-9_-]/.test(letter));
      const valueFits = value.length <= 120 && [...value].every((letter) => alphabets[alphabet].has(letter));
      return refused({ [key]: value }, alphabet) === !(keyFits && valueFits);
    }),
    SETTINGS,
  );
});

test('never accepts a line end at the end of a key or value', () => {
  assert.ok(refused({ 'a\n': 'b' }, 'standard'));
  assert.ok(refused({ a: 'b\n' }, 'standard'));
  assert.ok(refused({ a: 'b\n' }, 'printable'));
});

test('keeps tags that a change omits, replaces those it names, removes those it empties', () => {
  const key = fc.constantFrom(...'abcdefgh');
  const tags = fc.dictionary(key, fc.constantFrom('x', 'y'));
  const change = fc.dictionary(key, fc.constantFrom('', 'x', 'z'));
  fc.assert(
    fc.property(tags, change, (current, requested) => {
      const merged = mergeTags(current, requested);
      for (const name of 'abcdefgh') {
        const expected = requested[name] ?? current[name];
        assert.equal(merged[name], expected === '' ? undefined : expected);
      }
      assert.deepEqual(mergeTags(merged, requested), merged);
    }),
    SETTINGS,
  );
});

test('allows at most twenty tags, counted after the change', () => {
  const many = (count: number): Tags =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, 'x']));
  assert.equal(Object.keys(mergeTags({}, many(20))).length, 20);
  assert.throws(() => mergeTags({}, many(21)), Fault);
  assert.throws(() => mergeTags(many(20), { other: 'x' }), Fault);
  assert.deepEqual(Object.keys(mergeTags(many(20), { t0: '', other: 'x' })).length, 20);
});
