// Guarantees of rows of PostgreSQL that become records; test/migration/real-sources.ts asks a real server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordOf } from './pgvector.ts';

test('keeps every digit of whole numbers beyond 2^53, as texts, also in JSON, and of vectors takes floats', () => {
  const row =
    '{"views": 9007199254740993, "year": 1979, "price": 19.99, "more": {"big": -9223372036854775808}}';
  assert.deepEqual(recordOf({ id: '1', vector: '[9007199254740993,1e20]', row }, []), {
    id: '1',
    values: [9007199254740992, 1e20],
    fields: { views: '9007199254740993', year: 1979, price: 19.99, more: { big: '-9223372036854775808' } },
  });
  assert.deepEqual(recordOf({ id: '1', vector: null, row: '{}' }, []), { id: '1', values: null, fields: {} });
});

test('keeps numbers of columns of floats as numbers, however large and whole they are', () => {
  // As PostgreSQL writes 2^60, the shortest digits that are read as it.
  const row =
    '{"mass": 1152921504606847000, "list": [100000000000000000000, 0.5, null], "none": "NaN", "views": 9007199254740992}';
  assert.deepEqual(recordOf({ id: '1', vector: null, row }, ['mass', 'list', 'none', 'key']).fields, {
    mass: 2 ** 60,
    list: [1e20, 0.5, null],
    none: 'NaN',
    views: '9007199254740992',
  });
});
