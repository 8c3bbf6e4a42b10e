// Guarantees of the records that tools show: their own fields keep their names, whatever these are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../domain/json.ts';
import type { Tool } from '../tool.ts';
import { fetchRecords } from './fetch-tool.ts';
import { listRecords } from './list-tools.ts';
import { search } from './search-tool.ts';

/** Names that mean something in answers of one kind of index or another. */
const FIELDS = {
  ...{ id: 'own id', score: 'own score', metadata: { own: true }, values: 'own values' },
  ...{ fields: 'own fields', sparse_values: 'own sparse values', sparseValues: 'own too' },
};
const DOCUMENT = { _id: 'd', ...FIELDS };
const DOCUMENTS_INDEX = { name: 'i', schema: { fields: { text: { type: 'string', full_text_search: {} } } } };
const VECTORS_INDEX = { name: 'i', dimension: 2 };

/** What the tool answers where the service answers `found`. */
async function answerOf(tool: Tool, args: JsonObject, [index, found]: readonly [JsonObject, JsonObject]) {
  return tool.call({ index: 'i', ...args }, async ({ path }) => (path === '/indexes/i' ? index : found));
}

test('shows documents by their own id, with all fields, in every tool', async () => {
  const hit = { matches: [{ _score: 0.5, ...DOCUMENT }] };
  assert.deepEqual(await answerOf(search, { query: 'x' }, [DOCUMENTS_INDEX, hit]), {
    hits: [{ id: 'd', score: 0.5, fields: FIELDS }],
  });
  const page = { documents: { d: DOCUMENT } };
  const record = { id: 'd', fields: FIELDS };
  assert.deepEqual(await answerOf(listRecords, { filter: {} }, [DOCUMENTS_INDEX, page]), {
    records: [record],
  });
  assert.deepEqual(await answerOf(fetchRecords, { ids: ['d'] }, [DOCUMENTS_INDEX, page]), {
    records: [record],
  });
});

test('shows the metadata of vectors apart from the vectors', async () => {
  const stored = { id: 'v', values: [1, 2], sparseValues: { indices: [1], values: [2] }, metadata: FIELDS };
  const record = { id: 'v', fields: FIELDS };
  const hit = { matches: [{ ...stored, score: 0.5 }] };
  assert.deepEqual(await answerOf(search, { id: 'v' }, [VECTORS_INDEX, hit]), {
    hits: [{ ...record, score: 0.5 }],
  });
  const page = { vectors: { v: stored } };
  assert.deepEqual(await answerOf(listRecords, { filter: {} }, [VECTORS_INDEX, page]), { records: [record] });
  assert.deepEqual(await answerOf(fetchRecords, { ids: ['v'] }, [VECTORS_INDEX, page]), {
    records: [record],
  });
  const withVectors = { ids: ['v'], include_vectors: true };
  assert.deepEqual(await answerOf(fetchRecords, withVectors, [VECTORS_INDEX, page]), {
    records: [{ ...record, values: stored.values, sparse_values: stored.sparseValues }],
  });
});
