// Names of columns: what is renamed, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFieldNames, renamed } from './field-names.ts';

test('gives fields the names of records, and keeps all others', () => {
  const names = readFieldNames('values=vector,id=key');
  assert.deepEqual(renamed({ key: 'a', vector: [1], year: 1979 }, names), {
    id: 'a',
    values: [1],
    year: 1979,
  });
  assert.deepEqual(renamed({ key: 'a', text: 'x' }, names), { id: 'a', text: 'x' });
  const row = { vector: [1] };
  assert.equal(renamed(row, readFieldNames(undefined)), row);
});

test('refuses pairs that are none, fields that come twice, and rows with none of the columns', () => {
  for (const list of ['values', 'values=', '=vector', 'a=b=c', 'values=a,values=b', 'id=a,key=a', '']) {
    assert.throws(() => readFieldNames(list), /--columns/, list);
  }
  const names = readFieldNames('values=vector');
  assert.throws(() => renamed({ values: [1], vector: [2] }, names), /two columns for 'values'/);
  assert.throws(() => renamed({ embedding: [1] }, names), /none of the columns vector is there/);
});
