// Guarantees of the log of the process: its last words are read, however it ends, and it holds nothing up.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const LOGGER = new URL('./logger.ts', import.meta.url).href;

for (const logFormat of ['text', 'json'])
  test(`has written why the process ends before it kills itself, as ${logFormat}`, () => {
    const program = `
      const { createLogger } = await import(${JSON.stringify(LOGGER)});
      const logger = createLogger({ logLevel: 'info', logFormat: '${logFormat}' });
      logger.info('one before');
      logger.fatal('a thread has died');
      process.kill(process.pid, 'SIGKILL');`;
    const { stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    assert.equal(signal, 'SIGKILL');
    // What was being written before may be lost.
    assert.match(stderr, /a thread has died/);
  });

const isLinux = process.platform === 'linux';

for (const { name, end } of [
  { name: 'exits', end: 'process.exit(0);' },
  { name: 'ends by itself', end: '' },
  { name: 'tells its last words', end: `logger.fatal('a thread has died'); process.exit(0);` },
])
  test(`outlives a full disk below the log, and ${name}`, { skip: !isLinux }, () => {
    const program = `
      const { stat } = await import('node:fs/promises');
      const logger = (await import(${JSON.stringify(LOGGER)})).createLogger({ logLevel: 'info', logFormat: 'json' });
      for (let step = 0; step < 50; step++) {
        logger.info({ step }, 'a line');
        await stat('/');
        await new Promise(setImmediate);
      }
      process.stderr.write('a word of a package');
      await new Promise(setImmediate);
      process.stdout.write('alive');
      ${end}`;
    const full = openSync('/dev/full', 'w');
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', full],
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    closeSync(full);
    assert.deepEqual({ stdout, status }, { stdout: 'alive', status: 0 });
  });

for (const to of ['a pipe', 'a file'])
  test(`writes all lines to ${to} in order, also those that wait at an exit`, () => {
    const program = `
      const logger = (await import(${JSON.stringify(LOGGER)})).createLogger({ logLevel: 'info', logFormat: 'json' });
      for (let number = 0; number < 5_000; number++) logger.info({ number, text: 'x'.repeat(200) }, 'a line');
      process.exit(0);`;
    const folder = mkdtempSync(join(tmpdir(), 'pinyon-log-'));
    const file = openSync(join(folder, 'log'), 'a+');
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      maxBuffer: 16 * 1_024 * 1_024,
      stdio: ['ignore', 'ignore', to === 'a file' ? file : 'pipe'],
    });
    const written = to === 'a file' ? readFileSync(join(folder, 'log'), 'utf8') : stderr;
    closeSync(file);
    rmSync(folder, { recursive: true });
    assert.equal(status, 0);
    const numbers = written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).number);
    assert.deepEqual(
      numbers,
      Array.from({ length: 5_000 }, (_, number) => number),
    );
  });

test('goes on while nobody reads the log, within bounds, and exits', async () => {
  const program = `
    const logger = (await import(${JSON.stringify(LOGGER)})).createLogger({ logLevel: 'info', logFormat: 'json' });
    for (let number = 0; number < 20_000; number++) {
      logger.info({ number, text: 'x'.repeat(300) }, 'a line');
      if (number % 100 === 0) await new Promise(setImmediate);
    }
    process.stdout.write('alive');
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.pause();
  const [[status], stdout] = await Promise.all([once(child, 'exit'), text(child.stdout)]);
  assert.deepEqual({ stdout, status }, { stdout: 'alive', status: 0 });
  child.stderr.resume();
});
