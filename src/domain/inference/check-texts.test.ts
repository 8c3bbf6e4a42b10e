// The rules for the texts of a request: counts, empty texts, and rank fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../faults.ts';
import { checkInputs, checkQuery, rankedTexts } from './check-texts.ts';
import { HOSTED_MODELS } from './hosted-models.ts';
import { isEmbedModel, isRerankModel } from './model.ts';

const e5 = HOSTED_MODELS.filter(isEmbedModel).find(({ name }) => name === 'multilingual-e5-large');
const bge = HOSTED_MODELS.filter(isRerankModel).find(({ rankFieldsMax }) => rankFieldsMax === 1);
const cohere = HOSTED_MODELS.filter(isRerankModel).find(({ rankFieldsMax }) => rankFieldsMax > 1);
assert.ok(e5 !== undefined && bge !== undefined && cohere !== undefined);

function refused(check: () => unknown, message: string): void {
  assert.throws(
    check,
    (error) => error instanceof Fault && error.status === 400 && error.message === message,
  );
}

test('refuses no inputs, too many inputs and empty inputs', () => {
  checkInputs(e5, Array(96).fill('text'));
  refused(() => checkInputs(e5, []), 'inputs must hold at least one entry.');
  refused(
    () => checkInputs(e5, Array(97).fill('text')),
    "inputs holds 97 entries, which exceeds the limit of 96 for model 'multilingual-e5-large'.",
  );
  refused(() => checkInputs(e5, ['text', ' \n']), 'inputs[1].text must not be empty.');
  refused(() => checkQuery(''), 'query must not be empty.');
});

test('ranks the values of the rank fields in order, and values other than text as JSON', () => {
  const documents = [{ title: 'Cats', text: 'They sleep.', year: 1999, tags: ['a', 'b'] }];
  assert.deepEqual(rankedTexts(bge, documents, ['text']), ['They sleep.']);
  assert.deepEqual(rankedTexts(cohere, documents, ['text', 'title', 'year', 'tags']), [
    'They sleep.\nCats\n1999\n["a","b"]',
  ]);
});

test('names a missing rank field and its document', () => {
  const message = "field 'text' not found in document at index 1";
  refused(() => rankedTexts(bge, [{ text: 'a' }, { title: 'b' }], ['text']), message);
  refused(() => rankedTexts(bge, [{ text: 'a' }, { text: null }], ['text']), message);
  refused(
    () => rankedTexts(bge, [{ a: 1 }], ['toString']),
    "field 'toString' not found in document at index 0",
  );
});

test('refuses several rank fields for models of one, in the words that clients look for', () => {
  assert.throws(
    () => rankedTexts(bge, [{ a: 'x', b: 'y' }], ['a', 'b']),
    /^Fault: Only one rank field is supported for model /,
  );
  refused(() => rankedTexts(bge, [{ a: 'x' }], []), 'rank_fields must name at least one field.');
});
