// Guarantees of the parts that run requests: bounded caches, fair queues, retries and circuit breakers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DeadlinePassed, ProviderError } from '../provider-errors.ts';
import { batchesOf } from './batches.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { contentKey, ResultCache } from './result-cache.ts';
import { withRetries } from './with-retries.ts';
import { WorkQueue } from './work-queue.ts';

const SEED = 7;
const never = new AbortController().signal;

test('caches the most recently used values within its bytes, like a naive list', () => {
  const steps = fc.array(
    fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 900 })),
  );
  fc.assert(
    fc.property(steps, (list) => {
      const bytesMax = 2_000;
      const cache = new ResultCache<number>(bytesMax);
      let naive: { key: string; value: number; bytes: number }[] = [];
      for (const [isSet, number, bytes] of list) {
        const key = String(number);
        const found = naive.find((each) => each.key === key);
        if (isSet) {
          cache.set(key, bytes, bytes);
          naive = [...naive.filter((each) => each !== found), { key, value: bytes, bytes: bytes + 300 }];
          while (naive.reduce((sum, each) => sum + each.bytes, 0) > bytesMax) naive.shift();
        } else {
          assert.equal(cache.get(key), found?.value);
          if (found !== undefined) naive = [...naive.filter((each) => each !== found), found];
        }
        assert.equal(
          cache.bytes,
          naive.reduce((sum, each) => sum + each.bytes, 0),
        );
      }
    }),
    { seed: SEED },
  );
});

test('gives different lists of parts different keys', () => {
  assert.notEqual(contentKey(['ab', 'c']), contentKey(['a', 'bc']));
  assert.notEqual(contentKey(['1:a']), contentKey(['a']));
});

test('puts every text in one batch, within both bounds unless a single text exceeds them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 30 })),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 60 }),
      (texts, countMax, charsMax) => {
        const batches = batchesOf(texts, { countMax, charsMax, parallelMax: 1 });
        assert.deepEqual(
          batches.flat().sort((a, b) => a - b),
          [...texts.keys()],
        );
        for (const batch of batches) {
          const chars = batch.reduce((sum, at) => sum + (texts[at]?.length ?? 0), 0);
          assert.ok(batch.length <= countMax && (chars <= charsMax || batch.length === 1));
        }
      },
    ),
    { seed: SEED },
  );
});

test('limits concurrency of a queue, and runs interactive tasks before bulk tasks', async () => {
  const queue = new WorkQueue(1);
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run('bulk', () => gate.promise, never);
  const others = (['bulk', 'interactive', 'bulk', 'interactive'] as const).map((name, at) =>
    queue.run(name, async () => void order.push(`${name} ${at}`), never),
  );
  gate.resolve();
  await Promise.all([first, ...others]);
  assert.deepEqual(order, ['interactive 1', 'interactive 3', 'bulk 0', 'bulk 2']);
});

test('never runs a task that has left the queue, and frees the slot of a failed one', async () => {
  const queue = new WorkQueue(1);
  const gate = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const first = queue.run('interactive', () => gate.promise, never);
  let isRun = false;
  const second = queue.run(
    'interactive',
    async () => {
      isRun = true;
    },
    leaving.signal,
  );
  const third = queue.run('interactive', async () => 'done', never);
  leaving.abort(new Error('gone'));
  await assert.rejects(second, /gone/);
  gate.reject(new Error('failed'));
  await assert.rejects(first, /failed/);
  assert.equal(await third, 'done');
  assert.equal(isRun, false);
});

function failing(failures: readonly ProviderError[]) {
  const rest = [...failures];
  const state = { tries: 0 };
  const ask = async () => {
    state.tries++;
    const failure = rest.shift();
    if (failure !== undefined) throw failure;
    return 'answer';
  };
  return { ask, state };
}

async function retried(ask: () => Promise<string>, deadlineMs = 60_000) {
  const pauses: number[] = [];
  const options = {
    signal: never,
    deadlineMs: performance.now() + deadlineMs,
    random: () => 1,
    pause: async (ms: number) => void pauses.push(ms),
  };
  const outcome = await withRetries(ask, options).catch((error: Error) => error.message);
  return { outcome, pauses };
}

test('retries transient errors after growing pauses, but not lasting ones', async () => {
  const down = new ProviderError('down', 'no answer');
  assert.deepEqual(await retried(failing([down, down, down]).ask), {
    outcome: 'answer',
    pauses: [200, 400, 800],
  });
  const four = failing([down, down, down, down]);
  assert.equal((await retried(four.ask)).outcome, 'no answer');
  assert.equal(four.state.tries, 4);
  for (const kind of ['broken', 'refused'] as const) {
    const lasting = failing([new ProviderError(kind, kind)]);
    assert.deepEqual(await retried(lasting.ask), { outcome: kind, pauses: [] });
  }
});

test('pauses after each failure, also where the provider asks for no time', async () => {
  const hasty = new ProviderError('busy', 'busy', 0);
  assert.deepEqual(await retried(failing([hasty, hasty]).ask), { outcome: 'answer', pauses: [200, 400] });
});

test('pauses as long as the provider asks, but never past the deadline', async () => {
  const busy = new ProviderError('busy', 'busy', 1_500);
  assert.deepEqual(await retried(failing([busy]).ask), { outcome: 'answer', pauses: [1_500] });
  const { ask, state } = failing([busy]);
  assert.deepEqual(await retried(ask, 1_000), { outcome: 'busy', pauses: [] });
  assert.equal(state.tries, 1);
});

test('opens the circuit after five failures in a row, until one test call succeeds', async () => {
  let now = 0;
  const breaker = new CircuitBreaker({ now: () => now });
  const down = new ProviderError('down', 'no answer');
  let calls = 0;
  const call = (failure?: Error) =>
    breaker.run(async () => {
      calls++;
      if (failure !== undefined) throw failure;
    });
  for (let i = 0; i < 5; i++) await assert.rejects(call(down), /no answer/);
  await assert.rejects(call(), /not called for a while/);
  assert.equal(calls, 5);
  now = 10_001;
  const gate = Promise.withResolvers<void>();
  const probe = breaker.run(() => gate.promise);
  await assert.rejects(call(), /not called for a while/);
  gate.resolve();
  await probe;
  await call();
  assert.equal(calls, 6);
});

test('keeps the circuit open when callers leave whose calls began before, and passes on the test of one that leaves', async () => {
  let now = 1;
  const breaker = new CircuitBreaker({ now: () => now });
  const left = new Error('left');
  const begun = () => {
    const gate = Promise.withResolvers<void>();
    const ended = breaker.run(() => gate.promise);
    const leave = () => {
      gate.reject(left);
      return assert.rejects(ended, left);
    };
    return { leave };
  };
  const down = () => Promise.reject(new ProviderError('down', 'no answer'));
  const refused = () => assert.rejects(breaker.run(down), /not called for a while/);
  const early = begun();
  for (let i = 0; i < 5; i++) await assert.rejects(breaker.run(down), /no answer/);
  await early.leave();
  await refused();
  now += 10_001;
  const probe = begun();
  await refused();
  await probe.leave();
  const next = begun();
  await refused();
  now += 10_001;
  const last = begun();
  await next.leave();
  await refused();
  await last.leave();
  await breaker.run(async () => {});
});

test('admits all calls of the request that tests a provider, until one of them fails', async () => {
  let now = 1;
  const breaker = new CircuitBreaker({ now: () => now });
  const down = () => Promise.reject(new ProviderError('down', 'no answer'));
  const answer = async () => 'answer';
  const hanging = () => new Promise<never>(() => {});
  const [tester, other] = [{}, {}];
  const refused = (request: object) => assert.rejects(breaker.run(answer, request), /not called for a while/);
  for (let i = 0; i < 5; i++) await assert.rejects(breaker.run(down, tester), /no answer/);
  await refused(tester);
  now += 10_001;
  void breaker.run(hanging, tester);
  await refused(other);
  await assert.rejects(breaker.run(down, tester), /no answer/);
  for (const request of [tester, other]) await refused(request);
  now += 10_001;
  void breaker.run(hanging, tester);
  now += 10_001;
  void breaker.run(hanging, other);
  await refused(tester);
  assert.equal(await breaker.run(answer, other), 'answer');
  assert.equal(await breaker.run(answer, tester), 'answer');
});

test('takes the pause of an address for no failure of a model, and asks both again after it', async () => {
  let now = 1;
  const clock = { now: () => now };
  const location = new CircuitBreaker({ ...clock, counts: ['down'] });
  const models = [0, 1].map(() => new CircuitBreaker({ ...clock, location }));
  const [one, other] = models as [CircuitBreaker, CircuitBreaker];
  const fail = (breaker: CircuitBreaker, kind: 'down' | 'broken') =>
    assert.rejects(
      breaker.run(() => Promise.reject(new ProviderError(kind, kind))),
      new RegExp(kind),
    );
  const answer = async () => 'answer';
  const refused = (breaker: CircuitBreaker) => assert.rejects(breaker.run(answer), /not called for a while/);
  for (let i = 0; i < 5; i++) await fail(one, 'down');
  for (let i = 0; i < 9; i++) await refused(other);
  now += 10_001;
  assert.equal(await other.run(answer), 'answer');
  assert.equal(await one.run(answer), 'answer');
  // A broken model shows that its address is up.
  for (const kind of ['down', 'down', 'down', 'down', 'broken'] as const) await fail(other, kind);
  await refused(other);
  assert.equal(await one.run(answer), 'answer');
  now += 10_001;
  // Who may test a model is refused by its address: the next one tests it.
  for (let i = 0; i < 5; i++) await fail(one, 'down');
  now += 6_000;
  await refused(other);
  now += 4_001;
  assert.equal(await other.run(answer), 'answer');
});

test('counts a passed deadline as a failure only of a provider that was silent for most of it', async () => {
  for (const answersEveryMs of [20_000, Number.POSITIVE_INFINITY]) {
    let now = 1;
    const breaker = new CircuitBreaker({ now: () => now });
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const calls = gates.map(({ promise }) => breaker.run(() => promise));
    for (; now < 60_000; now += 1_000) if (now % answersEveryMs === 1) await breaker.run(async () => {});
    for (const { reject } of gates) reject(new DeadlinePassed(60_000));
    for (const call of calls) await assert.rejects(call, /no answer within 60 s/);
    const next = breaker.run(async () => 'answer').catch(({ message }: Error) => message);
    assert.match(await next, answersEveryMs === 20_000 ? /^answer$/ : /not called for a while/);
  }
});

test('does not count refusals, busy answers and aborted calls as failures', async () => {
  const breaker = new CircuitBreaker({ now: () => 0 });
  const others = [new ProviderError('refused', 'x'), new ProviderError('busy', 'x'), new Error('x')];
  for (let i = 0; i < 12; i++) {
    const failure = others[i % 3];
    await assert.rejects(
      breaker.run(async () => {
        throw failure;
      }),
      /x/,
    );
  }
  await breaker.run(async () => {});
});
