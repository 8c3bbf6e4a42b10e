// A thread that ends by itself is noticed: who waits for it is told, and so is the process, once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Epochs } from '../memory/epochs.ts';
import { EngineThread } from './thread-pool.ts';

const DIES_WHEN_ASKED = new URL(
  "data:text/javascript,import { parentPort } from 'node:worker_threads';parentPort.on('message', () => { throw new Error('broken'); });",
);

test('requests under way fail and the death is reported exactly once', async () => {
  const deaths: string[] = [];
  const reported = Promise.withResolvers<void>();
  const start = { dataDir: '/nowhere', number: 0, epochs: Epochs.allocate(1), peers: [] };
  const thread = new EngineThread(DIES_WHEN_ASKED, start, {
    onReport: () => undefined,
    onDeath: (error) => {
      deaths.push(error.message);
      reported.resolve();
    },
  });
  await assert.rejects(thread.ask({ type: 'drop', indexId: 'x' }), /broken/);
  await reported.promise;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(deaths, ['broken']);
  assert.equal(thread.pending, 0);
});
