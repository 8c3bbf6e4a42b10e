// Buffers beside an arena within the memory limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeMonotonicClock } from '../../../platform/testing/fake-monotonic-clock.ts';
import { FRAME_BYTES } from './arena.ts';
import { CountedBuffers } from './counted-buffers.ts';
import { FrameBudget } from './frame-budget.ts';

test('counts the bytes of all buffers together in whole frames, until they are forgotten', () => {
  const budget = FrameBudget.of(100);
  const buffers = new CountedBuffers(budget);
  for (let at = 1; at <= 10; at++) {
    assert.equal(buffers.allocate(FRAME_BYTES / 4)?.byteLength, FRAME_BYTES / 4);
    assert.deepEqual([buffers.frames, budget.used], [Math.ceil(at / 4), Math.ceil(at / 4)]);
  }
  buffers.forget((9 * FRAME_BYTES) / 4);
  assert.equal(budget.used, 1);
  buffers.forget(FRAME_BYTES / 4);
  assert.equal(budget.used, 0);
});

test('leaves a sixteenth of the limit, and all of it while others want memory', (t) => {
  const clock = fakeMonotonicClock(t);
  const budget = FrameBudget.of(160);
  budget.note(148);
  const buffers = new CountedBuffers(budget);
  assert.ok(buffers.allocate(2 * FRAME_BYTES));
  assert.equal(buffers.allocate(1), null);
  budget.give(100);
  budget.want();
  assert.equal(buffers.allocate(1), null);
  clock.seconds += 10;
  assert.ok(buffers.allocate(1));
});

test('counts nothing for a buffer that the system has no memory for', () => {
  const budget = FrameBudget.of(Number.MAX_SAFE_INTEGER);
  const buffers = new CountedBuffers(budget);
  // More than an address space has.
  const bytes = 2 ** 47;
  assert.throws(() => new SharedArrayBuffer(bytes), RangeError);
  assert.equal(buffers.allocate(bytes), null);
  assert.deepEqual([buffers.frames, budget.used], [0, 0]);
  assert.ok(buffers.allocate(1));
});

test('gives all back when its arena is left, and nothing twice', () => {
  const budget = FrameBudget.of(100);
  const buffers = new CountedBuffers(budget);
  assert.ok(buffers.allocate(3 * FRAME_BYTES));
  buffers.close();
  buffers.forget(3 * FRAME_BYTES);
  assert.equal(budget.used, 0);
  assert.equal(buffers.allocate(1), null);
});
