// Rows of Parquet files as documents: what they hold, and what is refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentSchema } from '../document-schema.ts';
import { documentOfRow } from './document-row.ts';
import type { Row } from './row.ts';

const SCHEMA: DocumentSchema = {
  fields: {
    title: {
      kind: 'string',
      description: null,
      storeText: true,
      fullText: { language: 'en', stemming: false, stopWords: false, ngram: null },
      embed: null,
      sparseEmbed: null,
    },
    pixels: { kind: 'dense', dimension: 2, metric: 'cosine', description: null },
    terms: { kind: 'sparse', description: null },
    old: { kind: 'metadata', type: 'float', filterable: true },
  },
};

function list(...values: readonly number[]) {
  return { values: Float64Array.from(values), length: values.length, hasNull: false };
}

function row(more: Partial<Row> = {}): Row {
  return {
    id: 'a',
    values: list(1, 2),
    sparse: null,
    texts: [],
    metadata: null,
    fields: [],
    notText: null,
    ...more,
  };
}

const read = (more: Partial<Row>) => documentOfRow(row(more), SCHEMA, { dimension: 2 });

describe('documentOfRow', () => {
  it('joins columns and metadata', () => {
    const { record, texts } = read({
      texts: [['title', 'apple']],
      sparse: { indices: list(7, 3), values: list(0.5, 2) },
      metadata: '{"n":1,"old":2,"constructor":"x"}',
    });
    assert.equal(texts, null);
    assert.deepEqual([...(record.values ?? [])], [1, 2]);
    assert.deepEqual([...(record.sparse?.indices ?? [])], [3, 7]);
    assert.deepEqual(record.metadataJson, '{"n":1,"old":2,"constructor":"x","title":"apple"}');
  });

  const refusals: readonly (readonly [string, Partial<Row>, RegExp])[] = [
    ['a row without an id', { id: null }, /id/i],
    ['a vector of another length', { values: list(1) }, /dimension 1 .*dimension .*2/],
    ['a missing vector', { values: null }, /missing required field 'pixels'/],
    ['a vector with null', { values: { ...list(1, 2), hasNull: true } }, /must be numbers/],
    ['an infinite number', { values: list(1, 1e300) }, /finite/],
    ['a vector with a value that is no number', { values: list(1, Number.NaN) }, /finite/],
    [
      'a sparse value that is no number',
      { sparse: { indices: list(1, 2), values: list(1, Number.NaN) } },
      /finite/,
    ],
    ['an infinite sparse value', { sparse: { indices: list(1), values: list(-1e300) } }, /finite/],
    ['metadata that is no object', { metadata: '[1]' }, /_metadata must be a JSON object/],
    ['metadata that is no JSON', { metadata: '{' }, /_metadata is not valid JSON/],
    ['a column within the metadata', { metadata: '{"title":"x"}' }, /'title', which has a column of its own/],
    ['an id within the metadata', { metadata: '{"_id":"x"}' }, /'_id', which has a column of its own/],
    ['null within the metadata', { metadata: '{"n":null}' }, /must not be null/],
    ['lists of unequal lengths', { sparse: { indices: list(1), values: list(1, 2) } }, /same length/],
  ];
  for (const [what, more, message] of refusals)
    it(`refuses ${what}`, () => assert.throws(() => read(more), message));
});
