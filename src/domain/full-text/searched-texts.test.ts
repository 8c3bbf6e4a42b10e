// Which texts rank searches of an index, and the query that a text becomes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SAMPLE_INDEX } from '../../catalog/conformance/conformance-suite.ts';
import { profileOf } from '../index-model.ts';
import { rankedTextQuery, searchedTextsOf } from './searched-texts.ts';

const EMBED = {
  model: 'pinecone-sparse-english-v0',
  textField: 'body',
  writeParameters: {},
  readParameters: {},
  source: { provider: 'built-in', revision: '1' },
  remaking: null,
};
const SPARSE = { ...SAMPLE_INDEX, vectorType: 'sparse', embed: null } as const;

it('ranks by the latest text fields of indexes with a built-in sparse model, the oldest first', () => {
  const formerTextFields = ['d', 'c', 'b', 'a'];
  const rankedFields = (index: typeof SAMPLE_INDEX) => profileOf(index).rankedFields;
  assert.deepEqual(rankedFields({ ...SPARSE, embed: EMBED }), ['body']);
  assert.deepEqual(rankedFields({ ...SPARSE, embed: { ...EMBED, formerTextFields } }), [
    'b',
    'c',
    'd',
    'body',
  ]);
  assert.equal(rankedFields(SPARSE), undefined);
  assert.equal(rankedFields({ ...SAMPLE_INDEX, vectorType: 'dense', embed: EMBED }), undefined);
  const learned = { ...EMBED, source: { provider: 'onnx', revision: '1' } };
  assert.equal(rankedFields({ ...SPARSE, embed: learned }), undefined);
});

it('searches each stem of a text once in each ranked field', () => {
  const index = { documents: null, rankedFields: ['old', 'new'] };
  assert.deepEqual([...searchedTextsOf(index).keys()], ['old', 'new']);
  const term = (field: string) => ({ kind: 'term', field, term: 'flood' });
  const should = [term('old'), term('new')];
  assert.deepEqual(rankedTextQuery('The flood, floods and flooding', index), {
    kind: 'bool',
    must: [],
    should,
    mustNot: [],
  });
  assert.deepEqual(rankedTextQuery('of the', index), { kind: 'none' });
  assert.equal(rankedTextQuery('flood', { documents: null }), null);
});

it('bounds the terms of a query', () => {
  const words = Array.from({ length: 5_000 }, (_, i) => `word${i}`).join(' ');
  const query = rankedTextQuery(words, { documents: null, rankedFields: ['text'] });
  assert.equal(query?.kind === 'bool' ? query.should.length : 0, 256);
});
