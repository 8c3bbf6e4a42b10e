// Guarantees of the texts of a request: counts, empty ones, and the fields that are ranked.
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

test('no inputs, too many, and empty ones are refused', () => {
  checkInputs(e5, Array(96).fill('text'));
  refused(() => checkInputs(e5, []), 'inputs must hold at least one entry.');
  refused(
    () => checkInputs(e5, Array(97).fill('text')),
    "inputs holds 97 entries, which exceeds the limit of 96 for model 'multilingual-e5-large'.",
  );
  refused(() => checkInputs(e5, ['text', ' \n']), 'inputs[1].text must not be empty.');
  refused(() => checkQuery(''), 'query must not be empty.');
});

test('the values of the rank fields are ranked in their order, those that are no text as JSON', () => {
  const documents = [{ title: 'Cats', text: 'They sleep.', year: 1999, tags: ['a', 'b'] }];
  assert.deepEqual(rankedTexts(bge, documents, ['text']), ['They sleep.']);
  assert.deepEqual(rankedTexts(cohere, documents, ['text', 'title', 'year', 'tags']), [
    'They sleep.\nCats\n1999\n["a","b"]',
  ]);
});

test('a rank field that a document lacks is named with the document', () => {
  const message = "field 'text' not found in document at index 1";
  refused(() => rankedTexts(bge, [{ text: 'a' }, { title: 'b' }], ['text']), message);
  refused(() => rankedTexts(bge, [{ text: 'a' }, { text: null }], ['text']), message);
  refused(
    () => rankedTexts(bge, [{ a: 1 }], ['toString']),
    "field 'toString' not found in document at index 0",
  );
});

test('models of one rank field refuse more, in the words clients look for', () => {
  assert.throws(
    () => rankedTexts(bge, [{ a: 'x', b: 'y' }], ['a', 'b']),
    /^Fault: Only one rank field is supported for model /,
  );
  refused(() => rankedTexts(bge, [{ a: 'x' }], []), 'rank_fields must name at least one field.');
});
