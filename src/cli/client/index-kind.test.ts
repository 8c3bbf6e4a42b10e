// Guarantees of the kind of an index: what else its description lists does not change it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kindOf, textFieldsOf } from './index-kind.ts';

const VECTORS = {
  _values: { type: 'dense_vector', dimension: 2, metric: 'cosine', description: null },
  _sparse_values: { type: 'sparse_vector', description: null },
};
const FILTERED = { genre: { filterable: true } };

describe('an index', () => {
  it('has vectors, whatever fields its filters use', () => {
    for (const fields of [VECTORS, { ...VECTORS, ...FILTERED }, { _sparse_values: VECTORS._sparse_values }])
      assert.equal(kindOf({ schema: { fields } }), 'vectors');
    assert.equal(kindOf({ embed: null, schema: null }), 'vectors');
    assert.equal(kindOf({}), 'vectors');
  });

  it('has texts if a model embeds a field of any name', () => {
    const fields = { body: { type: 'semantic_text', model: 'm' }, ...FILTERED };
    assert.equal(kindOf({ schema: { fields } }), 'texts');
    assert.equal(kindOf({ embed: { model: 'm' }, schema: { fields: FILTERED } }), 'texts');
  });

  it('has documents if a field is text or metadata with a type, or a vector with a name of its own', () => {
    const kinds = [
      { title: { type: 'string', full_text_search: {} } },
      { text: { type: 'string', embed: { model: 'm' } } },
      { image: { type: 'dense_vector', dimension: 2, metric: 'cosine' } },
      { ...VECTORS, year: { type: 'float', filterable: true } },
    ];
    for (const fields of kinds) assert.equal(kindOf({ schema: { fields } }), 'documents');
  });
});

describe('the texts of an index', () => {
  it('are the fields with the type of texts, and the one that a model embeds', () => {
    const text = { type: 'string', full_text_search: {} };
    const fields = {
      ...VECTORS,
      ...FILTERED,
      title: text,
      body: { type: 'semantic_text' },
      year: { type: 'float' },
    };
    assert.deepEqual(textFieldsOf({ schema: { fields } }), ['title', 'body']);
    assert.deepEqual(textFieldsOf({ embed: { model: 'm', field_map: { text: 'chunk' } } }), ['chunk']);
    assert.deepEqual(textFieldsOf({ embed: null, schema: null }), []);
  });
});
