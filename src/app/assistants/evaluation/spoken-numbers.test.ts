// Times, halves and failures of speech are written as quantities are read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withPlainForms } from './spoken-numbers.ts';

test('writes spoken times, spans of hours and halves in digits', () => {
  for (const [spoken, plain] of [
    ['at half past two in the afternoon', 'at 2:30 p.m.'],
    ['at quarter to nine', 'at 8:45'],
    ["at 5 o'clock in the morning", 'at 5:00 a.m.'],
    ['between seven and ten in the morning', 'from 7 a.m. to 10 a.m. '],
    ['an hour and a half', '1.5 hour'],
    ['one and a half hours', '1.5 hours'],
  ] as const) {
    assert.equal(withPlainForms(spoken), plain);
  }
});

test('tells the month May from the verb, and reads what failed as what did not happen', () => {
  assert.equal(withPlainForms('By 31 May guests may pay.'), 'By 31 Maytime guests may pay.');
  assert.equal(withPlainForms('The jury failed to agree.'), 'The jury not agree.');
});

test('leaves other texts as they are', () => {
  const text = 'From 7 to 10 people may come. Half of them past noon.';
  assert.equal(withPlainForms(text), text);
});
