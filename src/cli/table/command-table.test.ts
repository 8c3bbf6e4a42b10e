// The table of commands is sound: what it says can be parsed, listed and explained.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentsOf } from '../line/arguments-of.ts';
import { commandHelp, listHelp } from '../line/help.ts';
import { sharedOptions } from '../line/shared-options.ts';
import { COMMAND_GROUPS } from './command-table.ts';

const COMMANDS = COMMAND_GROUPS.flatMap(({ commands }) => commands);
const WIDTH = 80;

test('names each command once', () => {
  const paths = COMMANDS.map(({ path }) => path);
  assert.deepEqual(
    paths.filter((path, at) => paths.indexOf(path) !== at),
    [],
  );
});

test('puts required arguments first, and repeats only the last', () => {
  for (const { path, arguments: usage } of COMMANDS) {
    const all = argumentsOf(usage);
    const firstOptional = all.findIndex(({ isOptional }) => isOptional);
    const after = firstOptional === -1 ? [] : all.slice(firstOptional);
    assert.ok(
      after.every(({ isOptional }) => isOptional),
      path,
    );
    assert.ok(
      all.slice(0, -1).every(({ isRepeated }) => !isRepeated),
      path,
    );
  }
});

test('gives no option of a command the name of a shared one', () => {
  for (const { path, options = {}, partner } of COMMANDS) {
    const shared = Object.keys(sharedOptions(partner));
    assert.deepEqual(
      Object.keys(options).filter((name) => shared.includes(name)),
      [],
      path,
    );
  }
});

test('writes summaries that fit a list, without a full stop', () => {
  for (const { path, summary } of COMMANDS) assert.match(summary, /^[A-Z].{9,78}[^.]$/, path);
});

test('explains every command in lines that a terminal of 80 columns holds', () => {
  const texts = [listHelp(COMMAND_GROUPS, '', WIDTH), ...COMMANDS.map((each) => commandHelp(each, WIDTH))];
  for (const text of texts) {
    const examples = /\nExamples:.*?\n\n/s.exec(text)?.[0] ?? '';
    const wide = text.replace(examples, '').split('\n');
    assert.deepEqual(
      wide.filter((line) => line.length > WIDTH && !line.startsWith('Usage:')),
      [],
    );
  }
});
