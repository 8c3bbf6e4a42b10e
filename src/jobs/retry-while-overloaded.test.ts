// Guarantees of waiting for capacity: it is as long as asked for, and ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, invalid } from '../domain/faults.ts';
import { overloaded } from '../domain/overload.ts';
import { retryWhileOverloaded } from './retry-while-overloaded.ts';

/** A clock that only pauses move on. */
function fakeClock() {
  const pauses: number[] = [];
  const sum = () => pauses.reduce((all, ms) => all + ms, 0);
  return { pauses, sum, now: sum, pause: async (ms: number) => void pauses.push(ms) };
}

/** Fails with each fault, then with the last one for ever where there is no answer. */
function refusing(faults: readonly Fault[], isLasting = false) {
  const next = faults.values();
  const last = faults.at(-1);
  return async () => {
    const fault = next.next().value ?? (isLasting ? last : undefined);
    if (fault !== undefined) throw fault;
    return 'answer';
  };
}

const { signal } = new AbortController();
const isOverloaded = (error: unknown) => error instanceof Fault && error.condition === 'overloaded';

test('waits as long as a busy provider asks, but at most a minute before it tries again', async () => {
  const clock = fakeClock();
  const work = refusing([overloaded(), overloaded(20), overloaded(3_600)]);
  assert.equal(await retryWhileOverloaded(signal, work, clock), 'answer');
  assert.deepEqual(clock.pauses, [500, 20_000, 60_000]);
});

test('fails with the last refusal when it lasts for ten minutes', async () => {
  for (const seconds of [1, 45, 3_600]) {
    const clock = fakeClock();
    await assert.rejects(
      retryWhileOverloaded(signal, refusing([overloaded(seconds)], true), clock),
      isOverloaded,
    );
    assert.ok(clock.sum() > 500_000 && clock.sum() <= 600_000, `${clock.sum()} ms`);
  }
});

test('fails at once with other errors, and with the reason of its signal', async () => {
  const clock = fakeClock();
  await assert.rejects(retryWhileOverloaded(signal, refusing([invalid('no')]), clock), /no/);
  assert.deepEqual(clock.pauses, []);
  const leaving = new AbortController();
  const waiting = retryWhileOverloaded(leaving.signal, refusing([overloaded(60)], true));
  leaving.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
});
