// What bounds the reading of an answer is gone with the answer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { boundPieces } from './bound-answer.ts';
import type { AnyResponse } from './connections/protocol-handlers.ts';

const ANSWER_MS = 1_000;

test('cuts an answer whose piece is not read in time, and sets no timer once it is closed', async (context) => {
  const timers = context.mock.method(globalThis, 'setTimeout');
  const [raw, source] = [new PassThrough(), new PassThrough()];
  boundPieces({ raw: raw as unknown as AnyResponse }, source, ANSWER_MS);
  source.emit('pause');
  assert.equal(timers.mock.callCount(), 1);
  raw.destroy();
  source.emit('pause');
  await once(raw, 'close');
  source.emit('pause');
  assert.equal(timers.mock.callCount(), 1);
});
