// The collector behind explain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUERY_STAGES, QueryExplain } from './query-explain.ts';

test('explains a query that did nothing with zeros', () => {
  const { milliseconds, ...counters } = new QueryExplain().finish();
  assert.deepEqual(counters, {
    structure: 'none',
    nodesVisited: 0,
    distances: 0,
    rowsScored: 0,
    matched: 0,
    live: 0,
    unindexed: 0,
    tail: 0,
    effort: 1,
    expectedRecall: 1,
    auditedRecall: null,
    auditedRecallLow: null,
    auditedRecallHigh: null,
    promisedRecall: null,
    textScoreMax: null,
    tries: 0,
  });
  assert.deepEqual(Object.keys(milliseconds), [...QUERY_STAGES, 'total']);
});

test('tells of all segments the least recall, and that some were scanned', () => {
  const audited = (share: number) => ({ share, low: share - 0.01, high: share + 0.01 });
  const explain = new QueryExplain();
  explain.startTry(30);
  explain.addGraphSearch({ effort: 2, expectedRecall: 0.98, auditedRecall: audited(0.97) });
  explain.addStructure('graph');
  explain.addGraphSearch({ effort: 1, expectedRecall: 0.98, auditedRecall: audited(0.99) });
  explain.addStructure('graph');
  assert.partialDeepStrictEqual(explain.finish(), {
    structure: 'graph',
    effort: 2,
    expectedRecall: 0.98,
    auditedRecall: 0.97,
  });
  explain.addStructure('scan');
  assert.partialDeepStrictEqual(explain.finish(), { structure: 'graph+tail', expectedRecall: 0.98 });
  explain.startTry(30);
  assert.partialDeepStrictEqual(explain.finish(), { structure: 'none', effort: 1, expectedRecall: 1 });
});

test('counts the time since the previous stage ended for each stage, and no time twice', (context) => {
  let nowMs = 1_000;
  context.mock.method(performance, 'now', () => nowMs);
  const explain = new QueryExplain();
  nowMs += 20.5;
  explain.endStage('wait');
  explain.endStage('filter');
  nowMs += 7;
  explain.endStage('search');
  nowMs += 3;
  explain.endStage('wait');
  const { milliseconds } = explain.finish();
  assert.deepEqual(milliseconds, { wait: 23.5, filter: 0, search: 7, rescore: 0, fetch: 0, total: 30.5 });
});
