// The tools that tell what there is ask for no more than they show, however much there is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../domain/json.ts';
import { type Ask, ToolError, type ToolRequest } from '../tool.ts';
import { describeIndex, listIndexes } from './list-tools.ts';

const NAMESPACES = 150_000;
/** As much as a request of a tool takes. */
const BYTES_MAX = 8 * 2 ** 20;

/** The requests of an index with so many namespaces of one record each, answered as the service does. */
function crowdedIndex({ path }: ToolRequest): JsonObject {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const named = (count: number) => Array.from({ length: count }, (_, at) => `tenant-${at}-of-the-service`);
  if (pathname === '/indexes/crowded') return { name: 'crowded', dimension: 2 };
  if (pathname === '/data/crowded/describe_index_stats') {
    const shown = searchParams.get('without_namespaces') === 'true' ? [] : named(NAMESPACES);
    const namespaces = Object.fromEntries(shown.map((name) => [name, { vectorCount: 1 }]));
    return { namespaces, totalVectorCount: NAMESPACES };
  }
  assert.equal(pathname, '/data/crowded/namespaces');
  const namespaces = named(Number(searchParams.get('limit'))).map((name) => ({ name, record_count: 1 }));
  return { namespaces, total_count: NAMESPACES, pagination: { next: 'token' } };
}

/** Refuses answers that a tool does not take. */
function bounded(answer: (request: ToolRequest) => JsonObject): Ask {
  return async (request) => {
    const answered = answer(request);
    if (JSON.stringify(answered).length > BYTES_MAX) throw new ToolError('The answer is too large.');
    return answered;
  };
}

test('list_indexes lists any number of indexes, page by page', async () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `index-${String(at).padStart(6, '0')}`);
  const ask = bounded(({ path }) => {
    const { searchParams } = new URL(path, 'http://localhost');
    const after = searchParams.get('after') ?? '';
    const limit = Number(searchParams.get('limit') ?? names.length);
    const page = names.filter((name) => name > after).slice(0, limit);
    const next = page.length < limit ? undefined : page.at(-1);
    const indexes = page.map((name) => ({ name, dimension: 2, tags: { about: 'x'.repeat(1_000) } }));
    return { indexes, ...(next !== undefined && { pagination: { next } }) };
  });
  const listed: unknown[] = [];
  for (let page: unknown; listed.length === 0 || page !== undefined; ) {
    const { indexes, next_page } = await listIndexes.call(
      { limit: 50, ...(page !== undefined && { page }) },
      ask,
    );
    assert.ok(Array.isArray(indexes));
    listed.push(...indexes.map(({ name }) => name));
    page = next_page;
  }
  assert.deepEqual(listed, names);
});

test('describe_index gives totals and the first namespaces of an index, whatever their number', async () => {
  const described = await describeIndex.call({ index: 'crowded' }, bounded(crowdedIndex));
  const { namespaces, note, ...totals } = described;
  assert.deepEqual([totals.records, totals.namespace_count], [NAMESPACES, NAMESPACES]);
  assert.ok(Array.isArray(namespaces));
  assert.equal(namespaces.length, 100);
  assert.equal(note, 'The first 100 of 150000 namespaces. list_namespaces has all of them, page by page.');
});
