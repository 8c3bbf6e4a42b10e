// A migration that ends early says why, and how to go on, also where its progress cannot be saved.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliProblem, EXIT_UNREACHABLE } from '../command.ts';
import { resumable } from './resumable.ts';

/** As the system says it of a descriptor. */
const fullDisk = () => {
  const fields = { errno: -28, code: 'ENOSPC', syscall: 'write' };
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), fields);
};

test('a full disk does not hide why the copying ended', async () => {
  const told: string[] = [];
  const io = { err: (text: string) => told.push(text) };
  const copy = async () => {
    throw new CliProblem('No server responds.', EXIT_UNREACHABLE);
  };
  await assert.rejects(resumable({ save: async () => fullDisk() }, io, copy), {
    message: 'No server responds. Run the same command again to resume.',
    exitCode: EXIT_UNREACHABLE,
  });
  assert.match(told.join(''), /^The progress was not saved: .*no space left on device\.\n$/);
});

for (const [when, copy] of [
  ['during', async () => fullDisk()],
  ['after', async () => undefined],
] as const)
  test(`a disk that is full ${when} the copying is told once, with the way to go on`, async () => {
    const told: string[] = [];
    const io = { err: (text: string) => told.push(text) };
    await assert.rejects(
      resumable({ save: async () => fullDisk() }, io, copy),
      /^CliProblem: .*no space left on device\. Run the same command again to resume\.$/,
    );
    assert.deepEqual(told, []);
  });

test('an interrupt stays one', async () => {
  let saved = 0;
  const interrupt = new Error('interrupted');
  const copy = async () => {
    throw interrupt;
  };
  const state = { save: async () => void saved++ };
  await assert.rejects(resumable(state, { err: () => undefined }, copy), interrupt);
  assert.equal(saved, 1);
});
