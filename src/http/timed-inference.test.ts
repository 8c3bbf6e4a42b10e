// Guarantees of the time in models of a request: each moment in which models work counts once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EmbedRequest, EmbedResult, RerankRequest, RerankResult } from '../domain/inference/port.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { untouched } from '../platform/testing/untouched.ts';
import { TimedInference } from './timed-inference.ts';

test('counts calls at once as one, failed ones and those that still run too, and nothing between them', async () => {
  let now = 0;
  const embedding = Promise.withResolvers<EmbedResult>();
  const reranking = [Promise.withResolvers<RerankResult>(), Promise.withResolvers<RerankResult>()];
  const reranks = reranking.values();
  const models = {
    ...testInference(),
    embed: () => embedding.promise,
    rerank: () => (reranks.next().value ?? assert.fail()).promise,
  };
  const timed = new TimedInference(models, () => now);
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  pass(5);
  assert.equal(timed.busyMs, 0);
  const embedded = timed.embed(untouched<EmbedRequest>());
  pass(10);
  const reranked = timed.rerank(untouched<RerankRequest>());
  pass(10);
  embedding.reject(new Error('away'));
  await assert.rejects(embedded, /away/);
  assert.equal(timed.busyMs, 20);
  pass(10);
  reranking[0]?.resolve({ scores: [1], rerankUnits: 1 });
  assert.deepEqual(await reranked, { scores: [1], rerankUnits: 1 });
  pass(100);
  assert.equal(timed.busyMs, 30);
  const again = timed.rerank(untouched<RerankRequest>());
  pass(1);
  assert.equal(timed.busyMs, 31);
  reranking[1]?.resolve({ scores: [], rerankUnits: 1 });
  await again;
  pass(1);
  assert.equal(timed.busyMs, 31);
});
