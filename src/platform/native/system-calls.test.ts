// System calls are available on Linux in every thread, without messages to the user, and nothing fails without them.
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

it('loads in every thread, later ones too, without printing anything', () => {
  const { stdout, stderr } = run(IN_THREADS);
  assert.equal(stderr, '');
  assert.equal(stdout, (isExpected ? 'some\n' : 'none\n').repeat(3));
});

it('loads nothing where the runtime has no FFI module, or forbids it', () => {
  for (const flags of [['--no-experimental-ffi'], ['--permission', '--allow-fs-read=*']]) {
    const { stdout, stderr } = run(SAYS, ...flags);
    assert.doesNotMatch(stderr, /FFI/);
    assert.equal(stdout, 'none\n');
  }
});
