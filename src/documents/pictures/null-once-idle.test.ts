// Tests that a wait ends by its callback on a busy thread, and by itself on an idle one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nullOnceIdle } from './null-once-idle.ts';

const WINDOW_MS = 50;

test('returns the value, even if the thread is busy for many windows before', async () => {
  const waiting = nullOnceIdle<string>((callback) => {
    // The turn that is due next blocks the thread; the one after it calls back.
    setImmediate(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WINDOW_MS * 4);
      setImmediate(() => callback('decoded'));
    });
  }, WINDOW_MS);
  assert.equal(await waiting, 'decoded');
});

test('returns a value that is there at once', async () => {
  assert.equal(await nullOnceIdle<number>((callback) => callback(1), WINDOW_MS), 1);
});

test('returns null once nothing is left that could call back', async () => {
  assert.equal(await nullOnceIdle(() => {}, WINDOW_MS), null);
});
