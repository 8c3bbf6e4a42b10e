// Guarantees of what runs requests: bounded memory, fair turns, patience with limits, and rest for the failing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ProviderError } from '../provider-errors.ts';
import { batchesOf } from './batches.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { contentKey, ResultCache } from './result-cache.ts';
import { withRetries } from './with-retries.ts';
import { WorkQueue } from './work-queue.ts';

const SEED = 7;
const never = new AbortController().signal;

test('the cache keeps what was used last, within its bytes, as a naive list does', () => {
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

test('no two lists of parts have one key', () => {
  assert.notEqual(contentKey(['ab', 'c']), contentKey(['a', 'bc']));
  assert.notEqual(contentKey(['1:a']), contentKey(['a']));
});

test('batches hold every text once, under both bounds unless one text alone is over', () => {
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

test('a queue runs no more at a time than it may, the fast lane first', async () => {
  const queue = new WorkQueue(1);
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run('bulk', () => gate.promise, never);
  const others = (['bulk', 'fast', 'bulk', 'fast'] as const).map((lane, at) =>
    queue.run(lane, async () => void order.push(`${lane} ${at}`), never),
  );
  gate.resolve();
  await Promise.all([first, ...others]);
  assert.deepEqual(order, ['fast 1', 'fast 3', 'bulk 0', 'bulk 2']);
});

test('who leaves a queue is never run, and a failure gives the turn on', async () => {
  const queue = new WorkQueue(1);
  const gate = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const first = queue.run('fast', () => gate.promise, never);
  let isRun = false;
  const second = queue.run(
    'fast',
    async () => {
      isRun = true;
    },
    leaving.signal,
  );
  const third = queue.run('fast', async () => 'done', never);
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

test('passing providerErrors are tried again after growing pauses, lasting ones are not', async () => {
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

test('a pause is as long as the provider asks, and nobody waits past the deadline', async () => {
  const busy = new ProviderError('busy', 'busy', 1_500);
  assert.deepEqual(await retried(failing([busy]).ask), { outcome: 'answer', pauses: [1_500] });
  const { ask, state } = failing([busy]);
  assert.deepEqual(await retried(ask, 1_000), { outcome: 'busy', pauses: [] });
  assert.equal(state.tries, 1);
});

test('after five failures in a row nobody asks, until one call after the rest succeeds', async () => {
  let now = 0;
  const breaker = new CircuitBreaker({ now: () => now });
  const down = new ProviderError('down', 'no answer');
  let asked = 0;
  const call = (failure?: Error) =>
    breaker.run(async () => {
      asked++;
      if (failure !== undefined) throw failure;
    });
  for (let i = 0; i < 5; i++) await assert.rejects(call(down), /no answer/);
  await assert.rejects(call(), /given a rest/);
  assert.equal(asked, 5);
  now = 10_001;
  const gate = Promise.withResolvers<void>();
  const probe = breaker.run(() => gate.promise);
  await assert.rejects(call(), /given a rest/);
  gate.resolve();
  await probe;
  await call();
  assert.equal(asked, 6);
});

test('refusals, busy answers and callers who leave do not count as failures', async () => {
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
