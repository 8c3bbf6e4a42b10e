// Every command of the table can be run: its own code is in the table, or in the program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLine } from '../cli/line/run-line.ts';
import { COMMAND_GROUPS } from '../cli/table/command-table.ts';
import { silentIo } from '../cli/testing/fake-server.ts';
import { runsOf } from './program.ts';

test('runs exactly the commands that the table leaves to the server', () => {
  const left = COMMAND_GROUPS.flatMap(({ commands }) => commands)
    .filter(({ run }) => run === undefined)
    .map(({ path }) => path);
  const runs = runsOf(() => assert.fail('no engine is opened'));
  assert.deepEqual(Object.keys(runs).sort(), left.sort());
});

async function run(
  ...words: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string }> {
  const runs = runsOf(() => assert.fail('no engine is opened'));
  const texts: string[] = [];
  const io = silentIo({ out: (text) => texts.push(text) });
  const code = await runLine(words, { groups: COMMAND_GROUPS, version: '0', runs }, io);
  return { code, out: texts.join('') };
}

test('settings and models are printed as JSON where it is asked for', async () => {
  const settings = JSON.parse((await run('settings', '--json')).out) as {
    name: string;
    default: string | null;
  }[];
  assert.ok(settings.some(({ name, default: preset }) => name === 'PINYON_PORT' && preset === '5080'));
  const list = JSON.parse((await run('models', 'list', '--json')).out) as Record<string, { name: string }[]>;
  for (const [part, name] of [
    ['models', 'multilingual-e5-large'],
    ['pullable', 'all-minilm-l6-v2'],
  ] as const)
    assert.ok(
      list[part]?.some((each) => each.name === name),
      part,
    );
});

test('serve refuses --json instead of ignoring it', async () => {
  assert.equal((await run('serve', '--json')).code, 2);
});
