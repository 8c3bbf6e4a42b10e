// Guarantees of signals during a start: none ends the service by itself, and none is forgotten.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HANG_MS } from '../platform/testing/until.ts';
import { startSignals } from './start-signals.ts';

function start(startMsMax = HANG_MS) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly stop: () => Promise<void>;
    readonly reload: () => void;
  }>();
  const done: string[] = [];
  const logger = { info: (text: unknown) => done.push(String(text)), fatal: () => done.push('failed') };
  const running = {
    reload: () => void done.push('reload'),
    stop: async () => void done.push('stop'),
  };
  const signals = startSignals(promise, logger, startMsMax);
  return { ...signals, done, reject, end: () => resolve(running), endWith: resolve };
}

test('reads files again once the start has ended, when it was asked to before and later', async () => {
  const { reload, end, done } = start();
  reload();
  await new Promise(setImmediate);
  assert.deepEqual(done, []);
  end();
  await new Promise(setImmediate);
  reload();
  await new Promise(setImmediate);
  assert.deepEqual(done, ['reload', 'reload']);
});

test('stops in order right after the start when it was asked to before', async () => {
  const { stop, end, done } = start();
  const stopped = stop();
  await new Promise(setImmediate);
  end();
  await stopped;
  assert.deepEqual(done, ['stopping', 'stop', 'stopped']);
});

test('breaks a start off that takes long, or that has failed', async () => {
  const slow = start(1);
  await slow.stop();
  assert.deepEqual(slow.done, ['stopping', 'stopped before the start had ended']);
  const failed = start();
  failed.reject(new Error('no disk'));
  failed.reload();
  await failed.stop();
  assert.deepEqual(failed.done, ['stopping', 'stopped before the start had ended']);
});

test('tells of a stop that fails, and fails with it', async () => {
  const { stop, endWith, done } = start();
  endWith({ reload: () => undefined, stop: () => Promise.reject(new Error('stuck')) });
  await assert.rejects(stop(), /stuck/);
  assert.deepEqual(done, ['stopping', 'failed']);
});
