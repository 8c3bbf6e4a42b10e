// Guarantees of signals: an orderly stop on the first, an immediate one on the second, echoes ignored; SIGHUP reloads.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { onSignals } from './signals.ts';

/** Longer than the second signal of one Ctrl-C takes. */
const ECHO_OVER_MS = 350;

function listen(stop: () => Promise<void>, isInTerminal = false) {
  const source = new EventEmitter();
  const exits: number[] = [];
  const reloads: string[] = [];
  const reload = () => reloads.push('reload');
  onSignals(source, { stop, exit: (code) => exits.push(code), reload, isInTerminal });
  return { source, exits, reloads };
}

test('stops in order on SIGTERM and SIGINT, and exits with 0', async () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    let stops = 0;
    const { source, exits } = listen(async () => {
      stops += 1;
    });
    source.emit(signal);
    await new Promise(setImmediate);
    assert.deepEqual([stops, exits], [1, [0]]);
  }
});

test('exits at once on a second signal, unless it is the echo of the first', (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const { source, exits } = listen(() => new Promise(() => undefined));
  source.emit('SIGINT');
  source.emit('SIGINT');
  assert.deepEqual(exits, []);
  nowMs = ECHO_OVER_MS;
  source.emit('SIGTERM');
  assert.deepEqual(exits, [143]);
});

test('exits with 1 when stopping fails', async () => {
  const { source, exits } = listen(async () => {
    throw new Error('stuck');
  });
  source.emit('SIGTERM');
  await new Promise(setImmediate);
  assert.deepEqual(exits, [1]);
});

test('reloads files on SIGHUP, each time, and keeps running', async () => {
  const { source, exits, reloads } = listen(() => assert.fail('it stopped'));
  source.emit('SIGHUP');
  source.emit('SIGHUP');
  await new Promise(setImmediate);
  assert.deepEqual([reloads.length, exits], [2, []]);
});

test('stops in order on SIGHUP in a terminal, which has been closed', async () => {
  const { source, exits, reloads } = listen(async () => undefined, true);
  source.emit('SIGHUP');
  await new Promise(setImmediate);
  assert.deepEqual([reloads, exits], [[], [0]]);
});
