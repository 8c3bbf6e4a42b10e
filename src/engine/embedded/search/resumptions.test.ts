// Tests that reads which waited together do not run in a row.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { Resumptions } from './resumptions.ts';

const READS = 20;

it('resumes reads in order, and lets messages in between', async () => {
  const resumptions = new Resumptions();
  const order: string[] = [];
  const { port1, port2 } = new MessageChannel();
  port2.on('message', () => order.push('message'));
  const resumed = Array.from({ length: READS }, async (_, i) => {
    await resumptions.take();
    order.push(`${i}`);
    // As the request of somebody else arrives while the read runs.
    if (i === 0) port1.postMessage(null);
  });
  await Promise.all(resumed);
  port1.close();
  const reads = order.filter((each) => each !== 'message');
  assert.deepEqual(
    reads,
    Array.from({ length: READS }, (_, i) => `${i}`),
  );
  assert.ok(order.includes('message'), order.join());
});
