// Guarantees of a slot's figures: what its pending requests are, and how long the oldest of them waits or works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineThread } from './engine-thread.ts';
import { ThreadSlot } from './thread-slot.ts';

interface Call {
  readonly note: (note: unknown) => void;
  readonly answer: (answer: null) => void;
}

/** A slot, and the calls that its thread has got, which are answered and noted by hand. */
function setUp() {
  const calls: Call[] = [];
  const thread: Pick<EngineThread, 'call'> = {
    call: (_method, _request, { onNote = () => undefined } = {}) => {
      const { promise, resolve } = Promise.withResolvers<never>();
      calls.push({ note: onNote as Call['note'], answer: resolve as unknown as Call['answer'] });
      return promise;
    },
  };
  const slot = new ThreadSlot({ kind: 'writer', number: 0 }, thread as EngineThread, () => undefined);
  return { slot, calls };
}

test('the oldest request is the one that came first, but for long changes that have begun', async (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const { slot, calls } = setUp();
  const figures = () => [slot.pending, slot.oldestMs];
  assert.deepEqual(figures(), [0, 0]);
  const long = slot.call('drop', 'a');
  nowMs = 10;
  const short = slot.call('drop', 'b');
  nowMs = 30;
  assert.deepEqual(figures(), [2, 30]);
  calls[0]?.note('long');
  assert.deepEqual(figures(), [2, 20]);
  calls[1]?.answer(null);
  await short;
  assert.deepEqual(figures(), [1, 0]);
  calls[0]?.answer(null);
  await long;
  assert.deepEqual(figures(), [0, 0]);
});

test('what a request waits for is told to its caller, and leaves its age as it is', async (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const { slot, calls } = setUp();
  const notes: unknown[] = [];
  const read = slot.call('run', Object(null), { onNote: (note) => notes.push(note) });
  calls[0]?.note('waits');
  nowMs = 10;
  assert.deepEqual([notes, slot.oldestMs], [['waits'], 10]);
  calls[0]?.answer(null);
  await read;
});
