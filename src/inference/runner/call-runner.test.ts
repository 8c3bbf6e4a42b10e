// Guarantees of a request's run: it ends by the deadline whatever the provider does, and never runs more than it may.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../domain/faults.ts';
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

test('work that does not hear the signal does not hold its caller past the deadline', async () => {
  const gate = Promise.withResolvers<string>();
  const slow = runner({ deadlineMs: 30, parallelMax: 1 });
  const request = { lane: 'fast', signal: undefined, batches: [() => gate.promise] } as const;
  // The second waits behind work that goes on for nobody: the bound holds for that too.
  for (let i = 0; i < 2; i++) {
    await assert.rejects(slow.run(request), (error) => {
      assert.ok(error instanceof Fault);
      return error.message === 'Model m cannot answer now: no answer within 0.03 s. Retry later.';
    });
  }
  gate.resolve('late');
  assert.deepEqual(await slow.run({ ...request, batches: [async () => 'next'] }), ['next']);
});

test('batches run a few at a time, and results come in their order', async () => {
  let running = 0;
  let most = 0;
  const batches = Array.from({ length: 9 }, (_, at) => async () => {
    most = Math.max(most, ++running);
    for (let turn = 0; turn < 9 - at; turn++) await Promise.resolve();
    running--;
    return at;
  });
  assert.deepEqual(await runner().run({ lane: 'bulk', signal: undefined, batches }), [...batches.keys()]);
  assert.equal(most, 2);
});

test('a large request leaves turns to others of its model', async () => {
  const shared = runner({ parallelMax: 4 });
  const order: string[] = [];
  const batch = (name: string) => async () => {
    await Promise.resolve();
    order.push(name);
  };
  const large = Array.from({ length: 20 }, () => batch('large'));
  await Promise.all([
    shared.run({ lane: 'bulk', signal: undefined, batches: large }),
    shared.run({ lane: 'bulk', signal: undefined, batches: [batch('small')] }),
  ]);
  assert.ok(order.indexOf('small') < 10, order.join(' '));
});

test('after the first batch that fails no other is begun', async () => {
  let begun = 0;
  const batches = Array.from({ length: 20 }, (_, at) => async () => {
    begun++;
    if (at === 1) throw new Error('no good');
    await new Promise((resolve) => setImmediate(resolve));
  });
  await assert.rejects(runner().run({ lane: 'bulk', signal: undefined, batches }), /no good/);
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(begun <= 4, `${begun} begun`);
});

test('a request that was given up before it began is not begun, and an empty one needs nobody', async () => {
  const signal = AbortSignal.abort(new Error('gone'));
  let begun = 0;
  const batches = [async () => void begun++];
  await assert.rejects(runner().run({ lane: 'fast', signal, batches }), /gone/);
  assert.equal(begun, 0);
  assert.deepEqual(await runner().run({ lane: 'fast', signal: undefined, batches: [] }), []);
});
