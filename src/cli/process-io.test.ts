// The streams of a command, where what it prints finds no room or no reader.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';

const COMMAND = resolve(import.meta.dirname, '../../bin/pinyon.mjs');

/** Only Linux has it. */
const skip = !existsSync('/dev/full');

/** Runs a command whose output of one kind goes to a full disk. */
function runFull(stream: 'out' | 'err', words: readonly string[]) {
  const full = openSync('/dev/full', 'w');
  try {
    const out = stream === 'out' ? full : 'pipe';
    const err = stream === 'err' ? full : 'pipe';
    return spawnSync(process.execPath, [COMMAND, ...words], {
      stdio: ['ignore', out, err],
      encoding: 'utf8',
    });
  } finally {
    closeSync(full);
  }
}

test('a command whose progress and errors find no room ends as it would, with its result', { skip }, () => {
  const { status, stdout } = runFull('err', ['index', 'list', '--url', 'http://localhost:1', '--json']);
  assert.equal(status, 2);
  assert.match(stdout, /^\{"error":\{"message":"No API key/);
});

test('a command whose result finds no room says so in one sentence', { skip }, () => {
  const { status, stderr } = runFull('out', ['--version']);
  assert.equal(status, 1);
  assert.equal(stderr, 'Standard output cannot be used: no space left on device.\n');
});
