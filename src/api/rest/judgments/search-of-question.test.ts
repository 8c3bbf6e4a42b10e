// Questions of judgment sets as searches: the endpoint, its body, and what of an answer counts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { JsonObject } from '../../../domain/json.ts';
import type { Question } from '../../../domain/judgments/judgment-set.ts';
import { checkConfiguration, foundIds, searchOf } from './search-of-question.ts';

const VECTORS = { documents: null };
const DOCUMENTS = { documents: { fields: {} } };

function bodyOf(
  index: typeof VECTORS | typeof DOCUMENTS,
  question: Question,
  configuration: JsonObject = {},
) {
  const { endpointId, params, body } = searchOf(index, { question, configuration, k: 5, namespace: '' });
  return [endpointId, params.namespace, body];
}

it('searches records by text, id or vectors, with the settings of a configuration', () => {
  const rerank = { model: 'm', rank_fields: ['text'] };
  assert.deepEqual(bodyOf(VECTORS, { text: 'a' }, { rerank, top_k: 50 }), [
    'search_records',
    '__default__',
    {
      query: { inputs: { text: 'a' }, top_k: 50 },
      fields: ['text'],
      rerank: { query: 'a', ...rerank },
    },
  ]);
  assert.deepEqual(bodyOf(VECTORS, { id: 'a' }, { recall: 0.9 }), [
    'search_records',
    '__default__',
    { query: { id: 'a', top_k: 6, recall: 0.9 }, fields: [] },
  ]);
  const sparseVector = { indices: [1], values: [2] };
  assert.deepEqual(bodyOf(VECTORS, { vector: [1], sparseVector }, { fusion: {} })[2], {
    query: { vector: { values: [1], sparse_indices: [1], sparse_values: [2] }, top_k: 5, fusion: {} },
    fields: [],
  });
});

it('queries vectors for settings that no other search takes, and refuses them beside texts', () => {
  assert.deepEqual(bodyOf(VECTORS, { vector: [1] }, { scan_factor: 2, max_candidates: 9 }), [
    'query_vectors',
    undefined,
    { namespace: '__default__', topK: 5, vector: [1], scanFactor: 2, maxCandidates: 9 },
  ]);
  assert.throws(() => bodyOf(VECTORS, { text: 'a' }, { scan_factor: 2 }), { condition: 'invalid-argument' });
});

it('fills clauses of documents that have no query, and joins both filters', () => {
  const scoreBy = [
    { type: 'text', fields: ['t'] },
    { type: 'text', fields: ['t'], query: 'fixed' },
    { type: 'dense_vector', field: 'v' },
  ];
  const question = { text: 'a', filter: { x: 1 } };
  const [endpointId, , body] = bodyOf(DOCUMENTS, question, { score_by: scoreBy, filter: { y: 2 } });
  assert.equal(endpointId, 'search_documents');
  assert.deepEqual(body, {
    score_by: [
      { type: 'text', fields: ['t'], query: 'a' },
      { type: 'text', fields: ['t'], query: 'fixed' },
      { type: 'dense_vector', field: 'v', values: undefined },
    ],
    top_k: 5,
    include_fields: [],
    filter: { $and: [{ x: 1 }, { y: 2 }] },
  });
  assert.partialDeepStrictEqual(bodyOf(DOCUMENTS, { text: 'a' })[2], {
    score_by: [{ type: 'query_string', query: 'a' }],
  });
});

it('takes the ids of every form of answer, without the record that is searched for', () => {
  const answer = (body: object, status = 200) => ({ status, headers: {}, body: JSON.stringify(body) });
  assert.deepEqual(foundIds(answer({ matches: [{ id: 'a' }, { id: 'b' }] }), { id: 'a' }), ['b']);
  assert.deepEqual(foundIds(answer({ matches: [{ _id: 'a' }] }), { text: 'x' }), ['a']);
  assert.deepEqual(foundIds(answer({ result: { hits: [{ _id: 'a' }] } }), { text: 'x' }), ['a']);
  const refused = { ...answer({ error: { message: 'no' } }, 400), refusal: 'bad-filter' } as const;
  assert.throws(() => foundIds(refused, { id: 'a' }), { condition: 'bad-filter', message: 'no' });
});

it('refuses settings that the kind of index does not have', () => {
  const check = (configuration: unknown) => checkConfiguration(configuration, VECTORS, 'configurations[0]');
  assert.deepEqual(check({ recall: 0.9 }), { recall: 0.9 });
  const large = { rerank: { query: 'x'.repeat(20_000) } };
  for (const configuration of [null, [], { score_by: [] }, { top_k: 0 }, { top_k: 'x' }, large])
    assert.throws(() => check(configuration), { condition: 'invalid-argument' });
  assert.throws(() => checkConfiguration({ score_by: 1 }, DOCUMENTS, 'x'), { condition: 'invalid-argument' });
});
