// Terms of texts in several scripts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gramsOf, isUnspaced, questionTerms, termList } from './analyze.ts';
import { chunkTerms } from './chunk-terms.ts';
import { comparedTerms, formsOf } from './word-forms.ts';

test('stems words by their script, and folds accents of Latin letters', () => {
  assert.deepEqual(termList('Pumps cleaned'), termList('pump cleaning'));
  assert.deepEqual(termList('Résumé'), termList('resume'));
  assert.deepEqual(termList('книги'), termList('книга'));
});

test('keeps numbers whole, and ignores commas that group digits', () => {
  assert.notDeepEqual(termList('1.3'), termList('1 3'));
  assert.deepEqual(termList('8,849'), termList('8849'));
  assert.deepEqual(termList('version 2.0.'), termList('version 2.0'));
});

test('takes adjacent characters of scripts without spaces as terms', () => {
  assert.deepEqual(termList('博物馆'), ['博物', '物馆']);
  assert.ok(isUnspaced('いつ?') && !isUnspaced('when?'));
});

test('leaves out words that ask or bind, unless a question has no others', () => {
  assert.deepEqual([...questionTerms('What is the price of a pump?')], termList('price pump'));
  assert.deepEqual([...questionTerms('Wann wird die Pumpe in der Halle gereinigt?')].includes('die'), false);
  assert.ok(questionTerms('What is it?').size > 0);
});

test('leaves particles and endings of scripts without spaces out of questions, and no pair across them', () => {
  assert.deepEqual([...questionTerms('红茶要发酵多长时间？')], ['红茶', '发酵', '时间']);
  assert.deepEqual([...questionTerms('湯温は何度ですか？')], ['湯温']);
  assert.deepEqual([...questionTerms('박물관은 언제 휴관하나요?')], ['박물', '물관', '휴관']);
  assert.ok(questionTerms('什么？').size > 0);
});

test('compares irregular forms of a word as one term', () => {
  assert.deepEqual(comparedTerms('wrote leaves'), comparedTerms('written leaf'));
  assert.ok(formsOf('write').includes('wrote') && formsOf('pump').length === 1);
});

test('groups letters of a word with its ends', () => {
  assert.deepEqual([...gramsOf('pump')], ['_pum', 'pump', 'ump_']);
});

test('separates what stands above a chunk from its text, without the extension of its file', () => {
  const { terms, title } = chunkTerms('pumps', { fileName: 'manual.pdf', headings: ['Boats'] });
  assert.deepEqual([terms, title], ['pump', 'manual boat']);
});
