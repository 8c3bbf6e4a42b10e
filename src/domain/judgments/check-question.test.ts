// Questions are refused when they are stored, by the rules of the searches that would ask them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DocumentField } from '../document-schema.ts';
import { type AskedIndex, checkQuestion } from './check-question.ts';
import type { Question } from './judgment-set.ts';

const DENSE: AskedIndex = {
  ...{ embed: null, documents: null, vectorType: 'dense', metric: 'cosine', dimension: 2 },
};
const DENSE_FIELD: DocumentField = { kind: 'dense', dimension: 2, metric: 'cosine', description: null };
const DOCUMENTS: AskedIndex = { ...DENSE, documents: { fields: { vector: DENSE_FIELD } } };
const SPARSE: AskedIndex = { ...DENSE, vectorType: 'sparse', metric: 'dotproduct', dimension: null };

const REFUSED: readonly (readonly [AskedIndex, Question, RegExp])[] = [
  [DENSE, { vector: [1e308, 1] }, /finite 32-bit floats/],
  [DENSE, { vector: [0, 0] }, /only zeros/],
  [DENSE, { vector: [1] }, /dimension/],
  [DENSE, { vector: [1, 1], sparseVector: { indices: [1], values: [1] } }, /sparse/i],
  [DENSE, { id: 'a', filter: { $bad: 1 } }, /\$bad/],
  [DENSE, { text: 'a' }, /integrated embedding/],
  [SPARSE, { sparseVector: { indices: [1, 1], values: [1, 1] } }, /unique/],
  [SPARSE, { sparseVector: { indices: [1.5], values: [1] } }, /integers/],
  [SPARSE, { sparseVector: { indices: [1], values: [1, 2] } }, /same length/],
  [SPARSE, { vector: [1, 1] }, /sparse values only/],
  [DOCUMENTS, { vector: [1e308, 1] }, /finite 32-bit floats/],
  [DOCUMENTS, { vector: [0, 0] }, /non-zero/],
  [DOCUMENTS, { sparseVector: { indices: [1], values: [1] } }, /no sparse_vector field/],
  [DOCUMENTS, { text: 'a', filter: { x: { $bad: 1 } } }, /\$bad/],
  [DOCUMENTS, { id: 'a' }, /by id/],
];

it('refuses each question that its search would refuse, naming it', () => {
  for (const [index, question, reason] of REFUSED) {
    assert.throws(
      () => checkQuestion(index, question, 'questions[7]'),
      (error: Error) => reason.test(error.message) && error.message.includes('questions[7]'),
      JSON.stringify(question),
    );
  }
});

it('takes questions that can be asked', () => {
  checkQuestion(DENSE, { vector: [1, 0], filter: { a: { $gte: 1 } } }, 'question');
  checkQuestion(SPARSE, { sparseVector: { indices: [2, 1], values: [1, -1] } }, 'question');
  checkQuestion(DOCUMENTS, { vector: [1, 0] }, 'question');
  checkQuestion({ ...DENSE, metric: 'euclidean' }, { vector: [0, 0] }, 'question');
});
