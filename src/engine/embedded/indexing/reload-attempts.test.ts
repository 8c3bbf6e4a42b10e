// A namespace whose reload fails is not loaded anew all the time.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ReloadAttempts } from './reload-attempts.ts';

const MINUTE_MS = 60_000;

it('tries a namespace again after minutes, but at once when it has been loaded anew since', () => {
  let now = 0;
  const attempts = new ReloadAttempts(() => now);
  const [namespace, reloaded] = [{}, {}];
  assert.equal(attempts.begin(namespace), true);
  now = 2_000;
  assert.equal(attempts.begin(namespace), false);
  assert.equal(attempts.begin(reloaded), true);
  now = 10 * MINUTE_MS;
  assert.equal(attempts.begin(namespace), true);
  assert.equal(attempts.begin(namespace), false);
});
