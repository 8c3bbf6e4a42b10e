// The calls are there on Linux, in every thread and without a word to the user, and nobody fails without them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

const MODULE = new URL('./system-calls.ts', import.meta.url).href;
const SAYS = `console.log((await import('${MODULE}')).systemCalls() === null ? 'none' : 'some');`;
const IN_THREADS = `
  const { once } = await import('node:events');
  const { Worker } = await import('node:worker_threads');
  ${SAYS}
  for (let i = 0; i < 2; i++)
    await once(new Worker(${JSON.stringify(SAYS)}, { eval: true, type: 'module' }), 'exit');`;

function run(code: string, ...flags: string[]): { readonly stdout: string; readonly stderr: string } {
  return spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', code], { encoding: 'utf8' });
}

const isExpected = process.platform === 'linux' && process.getBuiltinModule('node:ffi') !== undefined;

it('each thread has them, those that come later too, and nothing is said about it', () => {
  const { stdout, stderr } = run(IN_THREADS);
  assert.equal(stderr, '');
  assert.equal(stdout, (isExpected ? 'some\n' : 'none\n').repeat(3));
});

it('there are none where the runtime has its module switched off, or forbids it', () => {
  for (const flags of [['--no-experimental-ffi'], ['--permission', '--allow-fs-read=*']]) {
    const { stdout, stderr } = run(SAYS, ...flags);
    assert.doesNotMatch(stderr, /FFI/);
    assert.equal(stdout, 'none\n');
  }
});
