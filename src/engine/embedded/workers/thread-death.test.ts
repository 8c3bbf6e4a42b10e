// Tests that the death of a thread is detected, and reported to pending calls and, once, to the pool.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChannelEnded } from '../../../platform/worker-channel/errors.ts';
import { ANSWER } from '../../../platform/worker-channel/wire.ts';
import { QueryLoad } from '../indexing/builds/build-pause.ts';
import { Epochs } from '../memory/epochs.ts';
import { EngineThread } from './engine-thread.ts';

const START = {
  dataDir: '/nowhere',
  number: 0,
  counts: { reader: 1, writer: 1, builder: 1 },
  epochs: Epochs.allocate(1),
  queryLoad: QueryLoad.allocate(1),
  dropped: [],
};

/** Starts a thread of this source, and records its deaths. */
function start(source: string) {
  const deaths: string[] = [];
  const reported = Promise.withResolvers<void>();
  const entry = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const thread = new EngineThread(entry, START, {
    onNotice: () => undefined,
    onDeath: (error) => {
      deaths.push(error.message);
      reported.resolve();
    },
  });
  return { thread, deaths, reported: reported.promise };
}

const LISTEN = "import { parentPort } from 'node:worker_threads'; parentPort.on('message', (request) => {";

test('fails running requests, and reports the death exactly once', async () => {
  const { thread, deaths, reported } = start(`${LISTEN} throw new Error('broken'); });`);
  await assert.rejects(thread.call('drop', 'x'), (error) => {
    assert.ok(error instanceof ChannelEnded);
    return /broken/.test(error.message);
  });
  await reported;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(deaths, ['an engine thread ended: broken']);
  assert.equal(thread.pending, 0);
  await assert.rejects(thread.call('drop', 'x'), ChannelEnded);
});

test('reports neither a slow thread as stuck nor a closed thread as dead', async () => {
  const answer = `parentPort.postMessage([${ANSWER}, request[1], null]);`;
  const busy = `const end = Date.now() + 300; while (Date.now() < end); ${answer}`;
  const { thread, deaths } = start(`${LISTEN} ${busy} });`);
  const call = thread.call('drop', 'x');
  for (let i = 0; i < 5; i++) {
    assert.equal(await thread.isStuck(), false);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  await call;
  await thread.close();
  assert.deepEqual(deaths, []);
  await assert.rejects(thread.call('drop', 'x'), /closed/);
});

test('reports a thread that takes its time to exit as dead, not as stuck', async () => {
  // The system takes a while to free what such a thread has in memory.
  const fill = 'globalThis.hoard = Array.from({ length: 1_000_000 }, (_, i) => ({ i }));';
  const { thread, deaths, reported } = start(`${fill} ${LISTEN} process.exit(1); });`);
  const call = assert.rejects(thread.call('drop', 'x'), ChannelEnded);
  let probes = 0;
  while (deaths.length === 0) {
    assert.equal(await thread.isStuck(), false, `probe ${probes++}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([call, reported]);
});
