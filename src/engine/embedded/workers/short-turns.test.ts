// Tests short time slices: the main thread alone gets them where the system supports them, and works without them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { release } from 'node:os';
import { it } from 'node:test';
import { nativeModule } from '../../../platform/native/system-calls.ts';
import { TURN_NANOSECONDS } from './short-turns.ts';

const MODULE = new URL('./short-turns.ts', import.meta.url).href;
/** The first Linux with a time slice for each thread. */
const LINUX_MIN = { major: 6, minor: 12 };

/** Prints niceness, policy and time slice of the thread that runs it. */
const PRINT_SCHEDULING = `{
  const ffi = process.getBuiltinModule('node:ffi');
  const { functions } = ffi.dlopen(null, { syscall: { arguments: ['i64', 'i32', 'pointer', 'u32', 'u32'], return: 'i64' } });
  const attributes = new DataView(new ArrayBuffer(48));
  const number = process.arch === 'x64' ? 315n : 275n;
  functions.syscall(number, 0, ffi.getRawPointer(new Uint8Array(attributes.buffer)), 48, 0);
  console.log([attributes.getInt32(16, true), attributes.getUint32(4, true), attributes.getBigUint64(24, true)].join(' '));
}`;
const IN_THREADS = `
  ${PRINT_SCHEDULING}
  const { once } = await import('node:events');
  const { Worker } = await import('node:worker_threads');
  console.log((await import('${MODULE}')).takeShortTurns());
  ${PRINT_SCHEDULING}
  await once(new Worker(${JSON.stringify(PRINT_SCHEDULING)}, { eval: true }), 'exit');`;

function run(code: string, ...flags: string[]): readonly string[] {
  const { stdout } = spawnSync(process.execPath, [...flags, '--input-type=module', '--eval', code], {
    encoding: 'utf8',
  });
  return stdout.trim().split('\n');
}

function knowsTurns(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > LINUX_MIN.major || (major === LINUX_MIN.major && minor >= LINUX_MIN.minor);
}

it('shortens the turns of the calling thread alone, not those of threads that it starts', () => {
  if (nativeModule() === undefined) {
    assert.deepEqual(run(`console.log((await import('${MODULE}')).takeShortTurns())`), ['false']);
    return;
  }
  const [before = '', isTaken, caller = '', started = ''] = run(IN_THREADS);
  assert.equal(isTaken, 'true');
  assert.equal(started, before);
  const [nice, policy, turn] = before.split(' ');
  assert.equal(caller, `${nice} ${policy} ${knowsTurns() ? TURN_NANOSECONDS : turn}`);
});

it('does nothing where the runtime has the module disabled or forbids it', () => {
  for (const flags of [['--no-experimental-ffi'], ['--permission', '--allow-fs-read=*']])
    assert.deepEqual(run(`console.log((await import('${MODULE}')).takeShortTurns())`, ...flags), ['false']);
});
