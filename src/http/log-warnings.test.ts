// Guarantees of warnings: each is a line of the log, and names the index that it is about.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { logWarnings } from './log-warnings.ts';
import { createLoggerTo } from './logger.ts';

test('logs a warning with the index that it is about, and nothing else hears of it', () => {
  const source = new EventEmitter();
  source.on('warning', () => assert.fail('it is printed'));
  const lines: string[] = [];
  logWarnings(source, createLoggerTo({ write: (line) => void lines.push(line) }, 'info'));
  source.emit('warning', Object.assign(new Error('no space left on device'), { indexId: 'films-1' }));
  source.emit('warning', new Error('many listeners'));
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    [first.level, first.indexId, first.err.message],
    ['warn', 'films-1', 'no space left on device'],
  );
  assert.deepEqual([second.level, second.indexId, second.err.message], ['warn', undefined, 'many listeners']);
});

test('keeps to one JSON object a line, also where Node and its packages warn', () => {
  const program = `
    const { createLogger } = await import(${JSON.stringify(new URL('./logger.ts', import.meta.url).href)});
    const { logWarnings } = await import(${JSON.stringify(new URL('./log-warnings.ts', import.meta.url).href)});
    const logger = createLogger({ logLevel: 'info', logFormat: 'json' });
    logWarnings(process, logger);
    process.emitWarning('a derived file is damaged');
    process.emitWarning('use something else', 'DeprecationWarning');`;
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  assert.equal(status, 0);
  const messages = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).err.message);
  assert.deepEqual(messages, ['a derived file is damaged', 'use something else']);
});
