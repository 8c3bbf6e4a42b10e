// Advisory locks of one database: two of one number would keep each other waiting.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ADVISORY_LOCKS } from './advisory-locks.ts';

const SRC = fileURLToPath(new URL('../..', import.meta.url));
/** What is between the parentheses, where it is no parameter. */
const NUMBERS = /pg_(?:try_)?advisory_\w+\(([^)]*)\)/g;

test('gives each advisory lock a number of its own', () => {
  const numbers = Object.values(ADVISORY_LOCKS);
  assert.equal(new Set(numbers).size, numbers.length);
});

test('takes the number of each advisory lock from the list', () => {
  const uses = globSync('**/*.ts', { cwd: SRC })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(join(SRC, file), 'utf8').matchAll(NUMBERS)])
    .map(([, number = '']) => number);
  assert.ok(uses.length >= Object.keys(ADVISORY_LOCKS).length);
  assert.deepEqual(
    uses.filter((number) => !/^(\$\d+|\$\{ADVISORY_LOCKS\.\w+\})$/.test(number)),
    [],
  );
});
