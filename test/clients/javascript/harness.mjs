// Runs the tests of a driver in order and prints their results in the form that the command reads.
import { setTimeout } from 'node:timers/promises';

/** Each test is a named function; it fails by throwing. */
export async function runTests(tests) {
  let failed = false;
  for (const [name, test] of Object.entries(tests)) {
    let [outcome, message] = ['passed', ''];
    try {
      await test();
    } catch (error) {
      [outcome, message] = ['failed', String(error?.stack ?? error).slice(0, 800)];
      failed = true;
    }
    process.stdout.write(`\n@result ${JSON.stringify({ name, outcome, message })}\n`);
  }
  process.exit(failed ? 1 : 0);
}

/** Records which public methods of classes are called; the function it returns gives the names of all others. */
export function watch(...classes) {
  const uncalled = new Set();
  for (const { name, prototype } of classes) {
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (key === 'constructor' || key.startsWith('_') || typeof value !== 'function') continue;
      uncalled.add(`${name}.${key}`);
      prototype[key] = function (...words) {
        uncalled.delete(`${name}.${key}`);
        return value.apply(this, words);
      };
    }
  }
  return () => [...uncalled];
}

/** Polls until the state of a job is the expected one, for a minute at most. */
export async function until(isDone) {
  for (let i = 0; i < 600; i++) {
    if (await isDone()) return;
    await setTimeout(100);
  }
  throw new Error(`${isDone} was not true within a minute`);
}

/** A vector of three components that depends on the words of a text. */
export function embed(text) {
  const has = (word) => (text.toLowerCase().includes(word) ? 1 : 0);
  return [has('moon') + 0.1, has('bread') + 0.1, 0.1];
}

export const indexBody = {
  dimension: 3,
  metric: 'cosine',
  spec: { serverless: { cloud: 'aws', region: 'us-east-1' } },
  waitUntilReady: true,
};
