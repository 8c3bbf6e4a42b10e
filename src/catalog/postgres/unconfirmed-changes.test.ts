import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { UnconfirmedChanges } from './unconfirmed-changes.ts';

test('has everything read again after a change without an answer, until the database answers', async () => {
  let isBroken = true;
  const calls: string[] = [];
  const unconfirmed = new UnconfirmedChanges({
    settled: async () => {
      calls.push('settled');
      if (isBroken) throw new Error('the database does not work');
    },
    retryMs: 1,
  });
  for (const topic of ['access', 'aliases'] as const)
    unconfirmed.listen(topic, async () => {
      calls.push(topic);
    });
  unconfirmed.note();
  while (calls.length < 3) await sleep(1);
  assert.deepEqual(new Set(calls), new Set(['settled']), 'nothing is read before the outcome is there');
  calls.length = 0;
  isBroken = false;
  while (!calls.includes('aliases')) await sleep(1);
  assert.deepEqual(calls, ['settled', 'access', 'aliases']);
  await sleep(5);
  assert.equal(calls.length, 3, 'it is read once');
});

test('reads again what changes without an answer while it is being read', async () => {
  let reads = 0;
  const unconfirmed = new UnconfirmedChanges({ settled: () => Promise.resolve() });
  unconfirmed.listen('access', async () => {
    reads += 1;
    if (reads === 1) unconfirmed.note();
    await nextTurn();
  });
  unconfirmed.note();
  while (reads < 2) await nextTurn();
  unconfirmed.close();
  unconfirmed.note();
  await nextTurn();
  assert.equal(reads, 2);
});
