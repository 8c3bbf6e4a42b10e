// Every command of the table can be run: its own code is in the table, or in the program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Io } from '../cli/command.ts';
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

interface Result {
  readonly code: number | null;
  readonly out: string;
}

function run(...words: readonly string[]): Promise<Result> {
  return runIn({}, ...words);
}

async function runIn(environment: Io['environment'], ...words: readonly string[]): Promise<Result> {
  const runs = runsOf(() => assert.fail('no engine is opened'));
  const texts: string[] = [];
  const io = silentIo({ environment, out: (text) => texts.push(text) });
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

test('commands on the files of the server say as JSON, too, why they cannot run, and none of them that it cannot start', async () => {
  const commands = [
    ['check'],
    ['repair', 'films'],
    ['recover'],
    ['models', 'list'],
    ['models', 'pull', 'all-minilm-l6-v2'],
    ['admin', 'reset-credentials'],
    ['catalog', 'copy', '--to', 'sqlite'],
  ];
  const messageOf = async (environment: Io['environment'], words: readonly string[], exitCode: number) => {
    const { code, out } = await runIn(environment, ...words, '--json');
    assert.equal(code, exitCode, words.join(' '));
    return (JSON.parse(out) as { error: { message: string } }).error.message;
  };
  for (const words of commands)
    assert.match(
      await messageOf({ PINYON_PORT: 'abc' }, words, 2),
      /^pinyon [a-z -]+ cannot run with these settings:\n {2}PINYON_PORT .*\nSee pinyon settings\.$/,
    );
  const absent = { PINYON_DATA_DIR: '/nowhere/pinyon' };
  assert.equal(
    await messageOf(absent, ['check'], 1),
    'pinyon check cannot run: there is no data directory at /nowhere/pinyon. Set PINYON_DATA_DIR.',
  );
  assert.match(
    await messageOf(absent, ['admin', 'reset-credentials'], 1),
    /^pinyon admin reset-credentials cannot run: there is no catalog at /,
  );
});
