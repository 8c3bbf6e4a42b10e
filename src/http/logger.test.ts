// Guarantees of the log of the process: its last words are read, however it ends.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
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
