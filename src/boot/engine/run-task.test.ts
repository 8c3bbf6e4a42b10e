// The answers of tasks, as they leave an engine thread.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Moved } from '../../platform/worker-channel/moved.ts';
import { withMovedBody } from './run-task.ts';

const ANSWER = { status: 200, headers: { 'content-type': 'application/json' } } as const;

test('moves long bodies as their bytes, and leaves short ones, and views of larger buffers, as they are', () => {
  for (const body of ['', '{"ü":1}', new Uint8Array(10), new Uint8Array(200_000).subarray(1)]) {
    const answer = { ...ANSWER, body };
    assert.equal(withMovedBody(answer), answer);
  }
  const body = 'ü'.repeat(70_000);
  const moved = withMovedBody({ ...ANSWER, body });
  assert.ok(moved instanceof Moved);
  const { body: bytes, ...rest } = moved.value;
  assert.deepEqual(rest, ANSWER);
  assert.ok(bytes instanceof Uint8Array);
  assert.equal(new TextDecoder().decode(bytes), body);
  assert.deepEqual(moved.transfer, [bytes.buffer]);
  const longBytes = new Uint8Array(100_000);
  const whole = withMovedBody({ ...ANSWER, body: longBytes });
  assert.ok(whole instanceof Moved);
  assert.deepEqual(whole.transfer, [longBytes.buffer]);
});
