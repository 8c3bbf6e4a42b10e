// A namespace whose move to another memory profile fails is not loaded anew all the time.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ReshapeAttempts } from './reshape-attempts.ts';

const MINUTE_MS = 60_000;

function namespaceOf(...hasNodeCodes: readonly boolean[]) {
  return { segments: hasNodeCodes.map((each) => ({ context: { hasNodeCodes: each } })) };
}

it('tries namespaces with any segment of another profile, and no others', () => {
  const [old, mixed, done, empty] = [
    namespaceOf(false),
    namespaceOf(true, false),
    namespaceOf(true),
    namespaceOf(),
  ];
  assert.deepEqual(new ReshapeAttempts().takeDue([old, mixed, done, empty], true), [old, mixed]);
});

it('tries one again after minutes, but at once when it has been loaded anew since', () => {
  let now = 0;
  const attempts = new ReshapeAttempts(() => now);
  const namespace = namespaceOf(false);
  assert.deepEqual(attempts.takeDue([namespace], true), [namespace]);
  now = 2_000;
  assert.deepEqual(attempts.takeDue([namespace], true), []);
  const reloaded = namespaceOf(false);
  assert.deepEqual(attempts.takeDue([namespace, reloaded], true), [reloaded]);
  now = 10 * MINUTE_MS;
  assert.deepEqual(attempts.takeDue([namespace], true), [namespace]);
});
