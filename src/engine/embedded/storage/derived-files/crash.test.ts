// A process that dies while it writes leaves a complete snapshot, and a new snapshot does not disturb readers of the old one.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '../../../../platform/testing/until.ts';
import { effort } from '../../testing/effort.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { readGeneration, writeGeneration } from './testing/generations.ts';
import { randomWords } from './testing/sample.ts';

const PROCESS = fileURLToPath(new URL('./testing/writing-process.ts', import.meta.url));
const FOR_EVER = '1000000';
const GENERATIONS_SEEN = effort({ daily: 10, long: 40 });
const KILLS = effort({ daily: 3, long: 8 });

function start(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [PROCESS, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('a process that is killed while it writes a snapshot', () => {
  for (const [call, nth] of [
    ['open', '1'],
    ['write', '1'],
    ['write', '30'],
    ['datasync', '2'],
    ['rename', '1'],
  ] as const) {
    it(`leaves the old snapshot, and the next write removes the rest: ${call} ${nth}`, async (t) => {
      const folder = tempFolder(t);
      const path = join(folder, 'snapshot');
      await writeGeneration(path, 1);
      const [, signal] = await once(start(path, '2', '2', call, nth), 'exit');
      assert.equal(signal, 'SIGKILL');
      assert.equal(readGeneration(path), 1);
      assert.deepEqual(readdirSync(folder), call === 'open' ? ['snapshot'] : ['snapshot', 'snapshot.part']);
      await writeGeneration(path, 3);
      assert.equal(readGeneration(path), 3);
      assert.deepEqual(readdirSync(folder), ['snapshot']);
    });
  }

  it('leaves the new one when its folder was not synced yet', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    await writeGeneration(path, 1);
    await once(start(path, '2', '2', 'sync', '1'), 'exit');
    assert.equal(readGeneration(path), 2);
  });

  it('leaves a complete snapshot at any moment, never older than it reported', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    const random = randomWords(3);
    await writeGeneration(path, 0);
    for (let kill = 0; kill < KILLS; kill++) {
      const before = readGeneration(path) ?? 0;
      const child = start(path, String(before + 1), FOR_EVER);
      let output = '';
      child.stdout?.on('data', (chunk) => {
        output += chunk;
      });
      const ended = once(child, 'close');
      await setTimeout(150 + (random() % 200));
      child.kill('SIGKILL');
      await ended;
      const last = Number(output.trim().split('\n').at(-1) || before);
      const found = readGeneration(path) ?? 0;
      assert.ok(found === last || found === last + 1, `reported ${last}, found ${found}`);
    }
  });
});

describe('a reader while new snapshots replace the old one', () => {
  it('reads one of them completely, or learns that it was replaced', async (t) => {
    const path = join(tempFolder(t), 'snapshot');
    await writeGeneration(path, 1);
    const child = start(path, '2', FOR_EVER);
    const ended = once(child, 'exit');
    const seen = new Set<number>();
    let latest = 1;
    try {
      await until(() => {
        assert.deepEqual([child.exitCode, child.signalCode], [null, null]);
        const generation = readGeneration(path);
        if (generation !== null) {
          assert.ok(generation >= latest, `${generation} after ${latest}`);
          latest = generation;
          seen.add(generation);
        }
        return seen.size >= GENERATIONS_SEEN;
      }, 'seeing generations');
    } finally {
      // Before the folder is removed, which fails while the process writes there.
      child.kill('SIGKILL');
      await ended;
    }
  });
});
