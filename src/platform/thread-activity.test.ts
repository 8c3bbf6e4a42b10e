// Guarantees of what the system tells about threads: sleep is told from work and from the wait for a processor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { until } from './testing/until.ts';
import { activityOf, statusFileOfThread } from './thread-activity.ts';

const STATUS = (state: string, switches = 'voluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n') =>
  `Name:\tnode\nState:\t${state}\n${switches}`;

test('tells what a thread does from its status', () => {
  const told = (status: string) => activityOf('file', () => status);
  assert.equal(told(STATUS('S (sleeping)')), 'asleep 7 2');
  assert.equal(told(STATUS('R (running)')), 'active');
  assert.equal(told(STATUS('D (disk sleep)')), 'active');
  assert.equal(told(STATUS('S (sleeping)', '')), 'unknown');
  assert.equal(activityOf(null), 'unknown');
  const gone = () => {
    throw new Error('ENOENT');
  };
  assert.equal(activityOf('file', gone), 'active');
});

test('sees that a thread sleeps until something wakes it', async (test) => {
  if (statusFileOfThread() === null) return test.diagnostic('this system does not describe threads');
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const source = `
    import { parentPort, workerData } from 'node:worker_threads';
    import { statusFileOfThread } from ${JSON.stringify(new URL('./thread-activity.ts', import.meta.url).href)};
    parentPort.postMessage(statusFileOfThread());
    for (;;) Atomics.wait(workerData, 0, Atomics.load(workerData, 0));`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    workerData: flag,
  });
  const file = await new Promise<string>((resolve) => worker.once('message', resolve));
  let asleep = '';
  await until(() => {
    const before = asleep;
    asleep = activityOf(file);
    return asleep.startsWith('asleep') && asleep === before;
  }, 'falling asleep');
  Atomics.add(flag, 0, 1);
  Atomics.notify(flag, 0);
  await until(() => activityOf(file) !== asleep, 'waking up');
  await worker.terminate();
  await until(() => activityOf(file) === 'active', 'the exit');
});
