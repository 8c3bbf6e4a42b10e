// Guarantees of running requests: they end by the deadline whatever the provider does, within the concurrency limits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../domain/faults.ts';
import { ProviderError } from '../provider-errors.ts';
import { CallRunner, type CallRunnerOptions } from './call-runner.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

function runner(options: Partial<CallRunnerOptions> = {}): CallRunner {
  return new CallRunner({
    model: 'm',
    requestsMax: 10,
    parallelMax: 2,
    deadlineMs: 10_000,
    breaker: new CircuitBreaker(),
    onProviderError: () => {},
    ...options,
  });
}

test('releases the caller at the deadline even if the work ignores its signal', async () => {
  const gate = Promise.withResolvers<string>();
  const slow = runner({ deadlineMs: 30, parallelMax: 1 });
  const request = { queue: 'interactive', signal: undefined, batches: [() => gate.promise] } as const;
  // The second request waits behind abandoned work, to which the deadline also applies.
  for (let i = 0; i < 2; i++) {
    await assert.rejects(slow.run(request), (error) => {
      assert.ok(error instanceof Fault);
      return error.message === 'Model m cannot answer now: no answer within 0.03 s. Retry later.';
    });
  }
  gate.resolve('late');
  assert.deepEqual(await slow.run({ ...request, batches: [async () => 'next'] }), ['next']);
});

test('tells callers of a busy or failing provider to wait a second at least, and as long as it asked', async () => {
  for (const [kind, condition] of [
    ['busy', 'overloaded'],
    ['down', 'model-unavailable'],
  ] as const)
    for (const [ms, seconds] of [
      [0, 1],
      [1, 1],
      [1_001, 2],
      [30_000, 30],
    ] as const) {
      const batches = [() => Promise.reject(new ProviderError(kind, 'no answer', ms))];
      // No time for another try.
      const run = runner({ deadlineMs: 50 }).run({ queue: 'interactive', signal: undefined, batches });
      await assert.rejects(run, (error) => {
        assert.ok(error instanceof Fault);
        assert.deepEqual([error.condition, error.retryAfterSeconds], [condition, seconds]);
        return true;
      });
    }
});

test('does not hold requests that are too large for their deadline against a provider that answers', async () => {
  const breaker = new CircuitBreaker();
  const busy = runner({ deadlineMs: 300, parallelMax: 8, breaker });
  const batch = async (signal: AbortSignal) => {
    await sleep(5, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  };
  const request = { queue: 'bulk', signal: undefined, batches: Array(10_000).fill(batch) } as const;
  const runs = [request, request].map((each) => busy.run(each));
  for (const run of runs) await assert.rejects(run, /no answer within 0.3 s/);
  await sleep(20);
  assert.equal(await breaker.run(async () => 'answer'), 'answer');
});

test('answers a request of any number of batches again once a failing provider has recovered', async () => {
  for (const parallelMax of [1, 2, 8]) {
    let now = 1;
    const breaker = new CircuitBreaker({ now: () => now });
    const down = () => Promise.reject(new ProviderError('down', 'no answer'));
    for (let i = 0; i < 5; i++) await assert.rejects(breaker.run(down), /no answer/);
    const recovered = runner({ parallelMax, breaker });
    const batches = Array.from({ length: 9 }, (_, at) => async (signal: AbortSignal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      return at;
    });
    const request = { queue: 'bulk', signal: undefined, batches } as const;
    await assert.rejects(recovered.run(request), /not called for a while/);
    now += 10_001;
    assert.deepEqual(await recovered.run(request), [...batches.keys()]);
  }
});

test('runs a few batches at a time, and returns results in order', async () => {
  let running = 0;
  let most = 0;
  const batches = Array.from({ length: 9 }, (_, at) => async () => {
    most = Math.max(most, ++running);
    for (let turn = 0; turn < 9 - at; turn++) await Promise.resolve();
    running--;
    return at;
  });
  assert.deepEqual(await runner().run({ queue: 'bulk', signal: undefined, batches }), [...batches.keys()]);
  assert.equal(most, 2);
});

test('lets other requests of a model run beside a large one', async () => {
  const shared = runner({ parallelMax: 4 });
  const order: string[] = [];
  const batch = (name: string) => async () => {
    await Promise.resolve();
    order.push(name);
  };
  const large = Array.from({ length: 20 }, () => batch('large'));
  await Promise.all([
    shared.run({ queue: 'bulk', signal: undefined, batches: large }),
    shared.run({ queue: 'bulk', signal: undefined, batches: [batch('small')] }),
  ]);
  assert.ok(order.indexOf('small') < 10, order.join(' '));
});

test('starts no further batch after one has failed', async () => {
  let begun = 0;
  const batches = Array.from({ length: 20 }, (_, at) => async () => {
    begun++;
    if (at === 1) throw new Error('no good');
    await new Promise((resolve) => setImmediate(resolve));
  });
  await assert.rejects(runner().run({ queue: 'bulk', signal: undefined, batches }), /no good/);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(begun <= 4, `${begun} begun`);
});

test('does not start an aborted request, and answers an empty one without the provider', async () => {
  const signal = AbortSignal.abort(new Error('gone'));
  let begun = 0;
  const batches = [async () => void begun++];
  await assert.rejects(runner().run({ queue: 'interactive', signal, batches }), /gone/);
  assert.equal(begun, 0);
  assert.deepEqual(await runner().run({ queue: 'interactive', signal: undefined, batches: [] }), []);
});
