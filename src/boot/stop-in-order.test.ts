// Guarantees of the stop: its order, and that its steps together take no longer than a supervisor waits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type StopParts, stopInOrder } from './stop-in-order.ts';

const DRAIN_MS = 20_000;
const BACKGROUND_MS = 10_000;
const PROMPTLY_MS = 0;

/** Steps that take as long as they may, on a clock of the test. */
function stopping(
  context: { readonly mock: typeof import('node:test').mock },
  requestsMs: number,
  more: StopParts['bounded'] = [],
) {
  let nowMs = 0;
  context.mock.timers.enable({ apis: ['setTimeout'] });
  context.mock.method(performance, 'now', () => nowMs);
  const steps: string[] = [];
  const step = (name: string) => ({ close: async () => void steps.push(`${name} ${nowMs}`) });
  const pass = async (ms: number) => {
    nowMs += ms;
    context.mock.timers.tick(ms);
    await new Promise(setImmediate);
  };
  const untilDeadline = (name: string) => ({
    close: async (deadline: AbortSignal) => {
      steps.push(`${name} ${nowMs}`);
      await new Promise((resolve) => deadline.addEventListener('abort', resolve));
    },
  });
  const server = { stop: () => pass(requestsMs) };
  const engine = {
    close: async ({ saveMsMax }: { saveMsMax: number }) =>
      void steps.push(`engine ${nowMs}, saves ${saveMsMax}`),
  };
  const stopped = stopInOrder({
    ...{ drainMs: DRAIN_MS, server, engine },
    bounded: [untilDeadline('jobs'), untilDeadline('log'), ...more],
    ...{ users: [step('indexes')], rest: [step('catalog')] },
  });
  return { stopped, steps, pass };
}

test('ends jobs and the recovery log at the same time, however long each would take', async (context) => {
  const { stopped, steps, pass } = stopping(context, DRAIN_MS);
  await new Promise(setImmediate);
  await pass(BACKGROUND_MS);
  await stopped;
  assert.deepEqual(steps, [
    'jobs 20000',
    'log 20000',
    'indexes 30000',
    'engine 30000, saves 0',
    'catalog 30000',
  ]);
});

test('gives what requests have left of their time to what is to be saved', async (context) => {
  const { stopped, steps, pass } = stopping(context, PROMPTLY_MS);
  await new Promise(setImmediate);
  await pass(BACKGROUND_MS);
  await stopped;
  assert.equal(steps.at(-2), 'engine 10000, saves 10000');
});

test('gives what ends in the background less time where the requests have taken too long', async (context) => {
  const { stopped, steps, pass } = stopping(context, DRAIN_MS + BACKGROUND_MS - 1);
  await new Promise(setImmediate);
  await pass(1);
  await stopped;
  assert.equal(steps.at(-1), 'catalog 30000');
});

test('leaves behind what does not end a second after its deadline', async (context) => {
  const endless = { close: () => new Promise<void>(() => undefined) };
  const { stopped, steps, pass } = stopping(context, PROMPTLY_MS, [endless]);
  await new Promise(setImmediate);
  await pass(BACKGROUND_MS);
  assert.deepEqual(steps, ['jobs 0', 'log 0']);
  await pass(1_000);
  await stopped;
  assert.deepEqual(steps.slice(2), ['indexes 11000', 'engine 11000, saves 9000', 'catalog 11000']);
});
