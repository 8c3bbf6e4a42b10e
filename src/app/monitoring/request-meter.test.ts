// The request meter counts each request once, under its index, operation, status and latency.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataEndpoints } from '../../api/rest/data-endpoints.ts';
import { LATENCY_BOUNDS } from './latency-histogram.ts';
import { OPERATIONS, RequestMeter } from './request-meter.ts';

const everyIndex = () => true;
test('counts requests by index and operation, with their time in one bucket', () => {
  const meter = new RequestMeter(everyIndex);
  meter.add('films', 'query_vectors', { status: 200, milliseconds: 0.5 });
  meter.add('films', 'search_records', { status: 200, milliseconds: 30 });
  meter.add('films', 'upsert_vectors', { status: 200, milliseconds: 60_000 });
  meter.add('books', 'query_vectors', { status: 200, milliseconds: 1 });
  const queries = meter.of('films').get('query');
  assert.ok(queries !== undefined);
  assert.deepEqual([queries.count, queries.milliseconds], [2, 30.5]);
  assert.equal(queries.buckets[LATENCY_BOUNDS.indexOf(0.0005)], 1);
  assert.equal(queries.buckets[LATENCY_BOUNDS.indexOf(0.05)], 1);
  assert.equal(meter.of('films').get('upsert')?.buckets[LATENCY_BOUNDS.length], 1);
  assert.deepEqual([...meter.of('books').keys()], ['query']);
  assert.equal(meter.of('nothing').size, 0);
});

test('counts errors by status, and as requests', () => {
  const meter = new RequestMeter(everyIndex);
  for (const status of [200, 400, 429, 429, 500]) {
    meter.add('films', 'delete_vectors', { status, milliseconds: 1 });
  }
  const deletes = meter.of('films').get('delete');
  assert.equal(deletes?.count, 5);
  assert.deepEqual(
    [...(deletes?.errors ?? [])],
    [
      [400, 1],
      [429, 2],
      [500, 1],
    ],
  );
});

test('maps every operation to an endpoint, and every endpoint to an operation', () => {
  const meter = new RequestMeter(everyIndex);
  for (const { id } of dataEndpoints) meter.add('films', id, { status: 200, milliseconds: 1 });
  assert.deepEqual([...meter.of('films').keys()].sort(), [...OPERATIONS].sort());
});

test('keeps the parts of the engine and of models, which together are never more than the time', () => {
  const meter = new RequestMeter(everyIndex);
  const work = { expectedRecall: null, auditedRecall: null, promisedRecall: null };
  meter.add('films', 'search_records', {
    status: 200,
    milliseconds: 10,
    modelMs: 6,
    work: { engineMs: 3, ...work },
  });
  meter.add('films', 'search_records', {
    status: 200,
    milliseconds: 10,
    modelMs: 8,
    work: { engineMs: 3, ...work },
  });
  const queries = meter.of('films').get('query');
  assert.deepEqual([queries?.milliseconds, queries?.modelMs, queries?.engineMs], [20, 14, 5]);
});

test("keeps the engine's part of the time, a mean of expected recalls and the newest audited one", () => {
  const meter = new RequestMeter(everyIndex);
  const audited = { share: 0.9, low: 0.8, high: 0.95 };
  const search = (expectedRecall: number | null, auditedRecall: typeof audited | null) =>
    meter.add('films', 'query_vectors', {
      status: 200,
      milliseconds: 5,
      work: { engineMs: 3, expectedRecall, auditedRecall, promisedRecall: auditedRecall && 0.95 },
    });
  search(1, null);
  search(0.5, audited);
  search(null, null);
  const queries = meter.of('films').get('query');
  assert.equal(queries?.engineMs, 9);
  assert.equal(queries?.expectedRecall, 0.995);
  assert.deepEqual([queries?.auditedRecall, queries?.promisedRecall], [audited, 0.95]);
  search(1, null);
  assert.deepEqual([queries?.auditedRecall, queries?.promisedRecall], [null, null]);
});

test('forgets deleted indexes, so that creating and deleting indexes takes no memory', () => {
  const existing = new Set(['one', 'two']);
  const meter = new RequestMeter((id) => existing.has(id));
  for (const id of existing) meter.add(id, 'query_vectors', { status: 200, milliseconds: 1 });
  existing.delete('one');
  existing.add('three');
  meter.add('three', 'query_vectors', { status: 200, milliseconds: 1 });
  assert.deepEqual(
    ['one', 'two', 'three'].map((id) => meter.of(id).size),
    [0, 1, 1],
  );
});
