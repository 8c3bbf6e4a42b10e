// A process that cannot go on ends, whatever its place among the processes of its system.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const MODULE = JSON.stringify(new URL('./kill-self.ts', import.meta.url));
const LIVES_ON = 'setInterval(() => undefined, 1_000);';

function signalOf(program: string): string | null {
  const words = ['--input-type=module', '--eval', `${LIVES_ON} ${program}`];
  return spawnSync(process.execPath, words, { stdio: 'ignore', timeout: 60_000 }).signal;
}

test('ends the process at once, also where it is deaf to SIGKILL, as process 1 of a container is', () => {
  const end = `(await import(${MODULE})).killSelf();`;
  assert.equal(signalOf(end), 'SIGKILL');
  assert.equal(signalOf(`process.kill = () => true; ${end}`), 'SIGABRT');
});
