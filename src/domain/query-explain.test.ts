// Guarantees of the collector of what a query did.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { QUERY_STAGES, QueryExplain } from './query-explain.ts';

test('a query that did nothing explains itself with zeros', () => {
  const { milliseconds, ...counters } = new QueryExplain().finish();
  assert.deepEqual(counters, {
    structure: 'none',
    nodesVisited: 0,
    distances: 0,
    rowsScored: 0,
    matched: 0,
    live: 0,
    tail: 0,
    effort: 1,
    tries: 0,
  });
  assert.deepEqual(Object.keys(milliseconds), [...QUERY_STAGES, 'total']);
});

test('each stage gets the time since the one before ended, and none is counted twice', async () => {
  const explain = new QueryExplain();
  await pause(20);
  explain.endStage('wait');
  explain.endStage('filter');
  await pause(20);
  explain.endStage('search');
  await pause(20);
  explain.endStage('wait');
  const { wait, filter, search, rescore, fetch, total } = explain.finish().milliseconds;
  assert.ok(wait >= 35 && search >= 15, `${wait}, ${search}`);
  assert.ok(filter < 15, String(filter));
  assert.deepEqual([rescore, fetch], [0, 0]);
  assert.ok(Math.abs(wait + filter + search - total) < 5, String(total));
});
