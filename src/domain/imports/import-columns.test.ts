// The columns that an import may name, by the kind of its index.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Index } from '../index-model.ts';
import { checkColumns } from './import-columns.ts';

type Kind = Pick<Index, 'documents' | 'embed' | 'dimension'>;
const VECTORS: Kind = { documents: null, embed: null, dimension: 3 };
const SPARSE: Kind = { ...VECTORS, dimension: null };
const DOCUMENTS: Kind = { ...VECTORS, documents: { fields: {} } };
const TEXTS: Kind = {
  ...VECTORS,
  embed: {
    model: 'm',
    textField: 'body',
    writeParameters: {},
    readParameters: {},
    source: { provider: 'built-in', revision: '1' },
    remaking: null,
  },
};

test('accepts fields that records of the index have, and names of their metadata', () => {
  checkColumns({ id: 'key', values: 'vector', year: 'released' }, VECTORS);
  checkColumns({ values: 'id', id: 'values' }, VECTORS);
  checkColumns({ sparse_values: 'terms' }, SPARSE);
  checkColumns({ _id: 'key', title: 'name' }, DOCUMENTS);
  for (const id of ['id', '_id']) checkColumns({ [id]: 'key', body: 'text' }, TEXTS);
  checkColumns({}, VECTORS);
});

test('refuses fields that they cannot have, and columns and ids named twice', () => {
  const refusals: readonly (readonly [Kind, Readonly<Record<string, string>>, RegExp])[] = [
    [VECTORS, { _id: 'key' }, /'_id'; the id of a vector is 'id'/],
    [VECTORS, { sparseValues: 'x' }, /'sparse_values'/],
    [VECTORS, { id: 'a', values: 'a' }, /the column 'a' twice/],
    [VECTORS, { $x: 'a' }, /do not start with \$/],
    [SPARSE, { values: 'vector' }, /this index is sparse/],
    [DOCUMENTS, { id: 'key' }, /the id of a document is '_id'/],
    [TEXTS, { values: 'vector' }, /makes its vectors from the field 'body'/],
    [TEXTS, { id: 'a', _id: 'b' }, /both '_id' and 'id'/],
  ];
  for (const [kind, columns, message] of refusals)
    assert.throws(() => checkColumns(columns, kind), { condition: 'invalid-argument', message });
});
