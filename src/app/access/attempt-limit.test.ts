// Attempts to sign in: bounded per address and time, with a bounded memory of addresses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../domain/faults.ts';
import { AttemptLimit } from './attempt-limit.ts';

function limitAt(clock: { now: number }): AttemptLimit {
  return new AttemptLimit({ attemptsMax: 3, windowMs: 60_000, addressesMax: 2, now: () => clock.now });
}

test('refuses further attempts until the window ends, and says when that is', () => {
  const clock = { now: 0 };
  const limit = limitAt(clock);
  for (let i = 0; i < 3; i++) limit.begin('a');
  clock.now = 15_500;
  assert.throws(
    () => limit.begin('a'),
    (error) => error instanceof Fault && error.status === 429 && error.retryAfterSeconds === 45,
  );
  limit.begin('b');
  clock.now = 60_000;
  limit.begin('a');
});

test('refuses nobody for longer than a window where the clock is set back', () => {
  const clock = { now: 3_600_000 };
  const limit = limitAt(clock);
  for (let i = 0; i < 3; i++) limit.begin('a');
  clock.now = 0;
  for (let i = 0; i < 3; i++) limit.begin('a');
  assert.throws(() => limit.begin('a'), { retryAfterSeconds: 60 });
});

test('forgets the attempts of an address that has signed in', () => {
  const limit = limitAt({ now: 0 });
  for (let i = 0; i < 10; i++) {
    limit.begin('a');
    limit.forget('a');
  }
});

test('remembers a bounded number of addresses, and forgets the oldest window', () => {
  const limit = limitAt({ now: 0 });
  for (const address of ['a', 'a', 'a', 'b', 'c']) limit.begin(address);
  limit.begin('a');
  assert.doesNotThrow(() => limit.begin('a'));
});
