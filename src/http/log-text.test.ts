// Guarantees of the log on a terminal: readable, complete, and harmless to the terminal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logText } from './log-text.ts';
import { createLoggerTo } from './logger.ts';

function linesOf(write: (logger: ReturnType<typeof createLoggerTo>) => void): readonly string[] {
  const lines: string[] = [];
  write(createLoggerTo({ write: (line) => void lines.push(line) }, 'info'));
  return lines;
}

test('writes levels by name and times as ISO in JSON', () => {
  const [line = ''] = linesOf((logger) => logger.warn({ index: 'films' }, 'slow'));
  const { level, time, index, msg } = JSON.parse(line);
  assert.deepEqual([level, index, msg], ['warn', 'films', 'slow']);
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('shows people the time, the level, the message and the fields, and the stack of an error below', () => {
  const [plain = '', failed = ''] = linesOf((logger) => {
    logger.info({ status: 200, index: 'films', route: null }, 'request');
    logger.error({ err: new Error('no more space') }, 'a job failed');
  }).map(logText);
  assert.match(plain, /^\d\d:\d\d:\d\d\.\d{3} INFO {2}request status=200 index=films\n$/);
  assert.match(failed, /^\S+ ERROR a job failed\n {2}Error: no more space\n {6}at /);
});

test('lets no control character of a caller reach the terminal', () => {
  const [line = ''] = linesOf((logger) => logger.info({ index: '\u001b[31mred\u0007' }, 'request')).map(
    logText,
  );
  assert.doesNotMatch(line.trimEnd(), /\p{Cc}/u);
});
