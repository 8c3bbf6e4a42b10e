// Tests what happens to calls when a worker thread or a forked process ends.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from 'node:worker_threads';
import { Channel } from './channel.ts';
import { ChannelEnded } from './errors.ts';
import { childEndpoint } from './process-endpoint.ts';
import type { FixtureMethods } from './testing/fixture-methods.ts';
import { WorkerThread } from './worker-thread.ts';

const ENTRY = new URL('./testing/fixture-thread.ts', import.meta.url);
const SERVANT = fileURLToPath(new URL('./testing/servant-process.ts', import.meta.url));
const PROCESS = fileURLToPath(new URL('./testing/fixture-process.ts', import.meta.url));

function startThread(worker: WorkerOptions = {}) {
  const ends: string[] = [];
  const thread = new WorkerThread<FixtureMethods>(ENTRY, {
    name: 'the fixture',
    worker,
    onEnd: (error) => ends.push(error.message),
  });
  return { thread, ends };
}

for (const [way, reason] of [
  ['exit', 'it was terminated'],
  ['throw', 'broken'],
  ['reject', 'fatal'],
] as const) {
  test(`fails all calls of a thread that ends by '${way}' in the middle of one`, async () => {
    const { thread, ends } = startThread();
    const calls = [thread.channel.call('wait', 60_000), thread.channel.call('end', way)];
    for (const call of calls)
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof ChannelEnded);
        return error.message === `the fixture ended: ${reason}`;
      });
    await thread.ended;
    assert.deepEqual(ends, [`the fixture ended: ${reason}`]);
    await assert.rejects(thread.channel.call('echo', 1), ChannelEnded);
    await thread.close();
  });
}

test('makes warnings of a thread those of the thread that started it, and prints none there', async (context) => {
  const { thread } = startThread({ stderr: true });
  context.after(() => thread.close());
  const warned = once(process, 'warning');
  await thread.channel.call('warn', 'the disk is slow');
  const [{ name, message, code, stack }] = await warned;
  assert.deepEqual({ name, message, code }, { name: 'TypeError', message: 'the disk is slow', code: 7 });
  assert.match(stack, /fixture-methods/);
  await thread.close();
  assert.equal(await text(thread.worker.stderr), '');
});

test('passes on a warning of the moment at which a thread is closed', async () => {
  const { thread } = startThread({ workerData: { lastWords: 'not saved' } });
  const warned = once(process, 'warning');
  await thread.close();
  const [{ message }] = await warned;
  assert.equal(message, 'not saved');
});

test('fails the calls of a thread that is terminated', async () => {
  const { thread, ends } = startThread();
  assert.equal(await thread.channel.call('echo', 1), 1);
  const call = assert.rejects(thread.channel.call('wait', 60_000), ChannelEnded);
  await thread.terminate();
  await call;
  assert.equal(ends.length, 1);
});

test('ends a thread that is closed without reporting its end', async () => {
  const { thread, ends } = startThread();
  assert.equal(await thread.channel.call('echo', 1), 1);
  await thread.close();
  await thread.ended;
  assert.deepEqual(ends, []);
});

test('lets the process end while a thread has nothing to do, and not before', async () => {
  const child = fork(SERVANT);
  const answer = new Promise((resolve) => child.once('message', resolve));
  assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 0);
  assert.equal(await answer, 50);
});

test('calls a forked process, and fails calls when it ends', async () => {
  const child = fork(PROCESS, { serialization: 'advanced' });
  const channel = new Channel<FixtureMethods>(childEndpoint(child), { name: 'the process' });
  const bytes = Uint8Array.of(1, 2);
  assert.deepEqual([...(await channel.call('increment', bytes))], [2, 3]);
  assert.equal(bytes.byteLength, 2, 'bytes are copied');
  await assert.rejects(channel.call('fail', 'broken'), /Error: broken/);
  const call = channel.call('wait', 60_000);
  child.kill('SIGKILL');
  await assert.rejects(call, { name: 'ChannelEnded', message: 'the process ended: it exited with SIGKILL' });
});
