// Every command of the table can be run: its own code is in the table, or in the program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMAND_GROUPS } from '../cli/table/command-table.ts';
import { runsOf } from './program.ts';

test('runs exactly the commands that the table leaves to the server', () => {
  const left = COMMAND_GROUPS.flatMap(({ commands }) => commands)
    .filter(({ run }) => run === undefined)
    .map(({ path }) => path);
  const runs = runsOf(() => assert.fail('no engine is opened'));
  assert.deepEqual(Object.keys(runs).sort(), left.sort());
});
