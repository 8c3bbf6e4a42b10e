// Guarantees of the thread of a model: errors keep their kind, and a dead thread is replaced by the same model.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ProviderError, TooLong } from '../provider-errors.ts';
import { ModelThread } from './model-thread.ts';

const folder = mkdtempSync(join(tmpdir(), 'pinyon-thread-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const changedWhen = join(folder, 'changed');

function newThread(entry = './testing/obedient-thread.ts'): ModelThread<never> {
  const thread = new ModelThread<never>({ entry: new URL(entry, import.meta.url), data: { changedWhen } });
  after(() => thread.close());
  return thread;
}

/** Sends one of the orders that the thread obeys, as the query of a batch. */
function ask(thread: ModelThread<never>, query: string): Promise<readonly number[]> {
  return thread.score({
    query,
    documents: [],
    limitCounts: 'pair',
    pairTokensMax: 512,
    parameters: { truncate: 'END', tokensMax: 1 },
  });
}

async function providerError(promise: Promise<unknown>, kind: string, message: RegExp): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof ProviderError, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, message);
    return true;
  });
}

test('delivers answers, failures and too long texts unchanged', async () => {
  const thread = newThread();
  assert.equal(await thread.start(), 'first');
  assert.deepEqual(await Promise.all(['a', 'bb'].map((request) => ask(thread, request))), [[1], [2]]);
  await providerError(ask(thread, 'fail'), 'broken', /no such thing/);
  await assert.rejects(ask(thread, 'long'), (error) => error instanceof TooLong && error.position === 2);
});

test('gives the main thread priority over the threads of models', async () => {
  const isOurs = process.platform === 'linux';
  const expected = isOurs ? constants.priority.PRIORITY_BELOW_NORMAL : getPriority();
  assert.deepEqual(await ask(newThread(), 'priority'), [Math.max(expected, getPriority())]);
});

test('fails the calls of a dead thread, and starts a new one for the next call', async () => {
  const thread = newThread();
  const dying = [ask(thread, 'die'), ask(thread, 'a')];
  for (const call of dying) await providerError(call, 'down', /its thread ended/);
  assert.deepEqual(await ask(thread, 'b'), [1]);
});

test('refuses a restarted thread that serves a different model', async () => {
  const thread = newThread();
  await thread.start();
  writeFileSync(changedWhen, '');
  await providerError(ask(thread, 'die'), 'down', /its thread ended/);
  await providerError(ask(thread, 'a'), 'down', /its files have changed since the server was started/);
  rmSync(changedWhen);
});

test('a thread that cannot start and one that is closed say so', async () => {
  await providerError(ask(newThread('./testing/no-such-thread.ts'), 'a'), 'down', /its thread failed/);
  const closed = newThread();
  await closed.start();
  await closed.close();
  await providerError(ask(closed, 'a'), 'broken', /the server is stopping/);
});
