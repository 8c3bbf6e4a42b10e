// Tests the back-off for wrong credentials: by address and client id, with a bounded memory.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkOf, WrongCredentials } from './wrong-credentials.ts';

function fixture(burst = 5) {
  const state = { nowMs: 0 };
  const limit = new WrongCredentials({ burst, now: () => state.nowMs });
  const from = (address: string, times: number) =>
    Array.from({ length: times }, () => limit.fromAddress(address)?.condition ?? 'usual');
  return { state, limit, from };
}

it('refuses an address after so many wrong credentials, one a second from then on, and no other address', () => {
  const { state, limit, from } = fixture(5);
  assert.deepEqual(from('10.0.0.1', 7), [
    ...Array(5).fill('usual'),
    'too-many-attempts',
    'too-many-attempts',
  ]);
  assert.deepEqual(from('10.0.0.2', 1), ['usual']);
  assert.equal(limit.fromAddress('10.0.0.1')?.retryAfterSeconds, 1);
  state.nowMs += 1_000;
  assert.deepEqual(from('10.0.0.1', 2), ['usual', 'too-many-attempts']);
  assert.deepEqual(limit.counts, { refused: 7, backedOff: 4 });
});

it('answers as usual after the clock was set back, and takes no longer to do so again', () => {
  const { state, limit, from } = fixture(2);
  state.nowMs = 3_600_000;
  assert.deepEqual(from('10.0.0.1', 1), ['usual']);
  state.nowMs = 0;
  assert.deepEqual(from('10.0.0.1', 2), ['usual', 'too-many-attempts']);
  assert.equal(limit.fromAddress('10.0.0.1')?.retryAfterSeconds, 1);
  state.nowMs += 1_000;
  assert.deepEqual(from('10.0.0.1', 1), ['usual']);
});

it('counts wrong secrets of a client id from all addresses', () => {
  const { limit } = fixture(2);
  limit.ofClient('one');
  limit.ofClient('one');
  assert.throws(() => limit.ofClient('one'), { condition: 'too-many-attempts', status: 429 });
  limit.ofClient('another');
});

it('counts an IPv6 network as one address', () => {
  const { from } = fixture(1);
  assert.deepEqual(
    [...from('2001:db8:1:2::1', 1), ...from('2001:db8:1:2:ffff::9', 1)],
    ['usual', 'too-many-attempts'],
  );
  assert.equal(networkOf('::1'), '0:0:0:0');
  assert.equal(networkOf('::ffff:10.1.2.3'), '10.1.2.3');
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0');
});

it('forgets the address seen longest ago when there are too many', () => {
  const { from } = fixture(1);
  from('first', 1);
  for (let i = 0; i < 10_000; i++) from(`address ${i}`, 1);
  assert.deepEqual(from('first', 1), ['usual']);
  assert.deepEqual(from('address 9999', 1), ['too-many-attempts']);
});

it('limits nothing when it is off', () => {
  assert.ok(
    fixture(0)
      .from('10.0.0.1', 1_000)
      .every((each) => each === 'usual'),
  );
});
