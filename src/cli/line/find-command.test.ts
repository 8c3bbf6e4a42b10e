// Guarantees of finding commands: the longest name wins, plurals and leading options work, a slip is named.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command } from '../command.ts';
import { findCommand } from './find-command.ts';

const COMMANDS = ['index list', 'index delete', 'jobs', 'jobs cancel', 'export', 'record delete'].map(
  (path): Command => ({ path, summary: 'Do something', partner: 'server' }),
);

function find(line: string): unknown {
  const found = findCommand(line.split(' '), COMMANDS);
  return found.kind === 'command' ? [found.command.path, ...found.rest] : found;
}

describe('a command line', () => {
  it('names the longest command that it begins with', () => {
    assert.deepEqual(find('jobs cancel films 7'), ['jobs cancel', 'films', '7']);
    assert.deepEqual(find('jobs films'), ['jobs', 'films']);
  });

  it('may use plurals, and options before the command', () => {
    assert.deepEqual(find('indexes list'), ['index list']);
    assert.deepEqual(find('--json --url http://x index list'), ['index list', '--json', '--url', 'http://x']);
  });

  it('keeps options before the command from becoming ids behind --', () => {
    const line = find('--profile staging record delete films -- -1');
    assert.deepEqual(line, ['record delete', '--profile', 'staging', 'films', '--', '-1']);
  });

  it('may stand behind a -- that ends the options before it', () => {
    assert.deepEqual(find('-- index list films --json'), ['index list', 'films', '--json']);
    assert.deepEqual(find('--json -- record delete films -- -1'), [
      ...['record delete', '--json', 'films', '--', '-1'],
    ]);
  });

  it('asks for help in any of the usual ways', () => {
    assert.deepEqual(find('--help'), { kind: 'help', path: '' });
    assert.deepEqual(find('--'), { kind: 'help', path: '' });
    assert.deepEqual(find('index --help'), { kind: 'help', path: 'index' });
    assert.deepEqual(find('help index'), { kind: 'help', path: 'index' });
    assert.deepEqual(find('help export'), ['export', '--help']);
    assert.deepEqual(find('-v'), { kind: 'version' });
  });

  it('is answered with the nearest command, or with those that may follow', () => {
    assert.throws(() => find('exprot films'), /Unknown command 'exprot'\. Is 'pinyon export' meant\?/);
    assert.throws(
      () => find('index delte'),
      /Unknown command 'index delte'\. Is 'pinyon index delete' meant\?/,
    );
    assert.throws(() => find('index'), /'pinyon index' needs one of list, delete\./);
    assert.throws(() => find('nonsense'), /^CliProblem: Unknown command 'nonsense'\. See --help\.$/);
  });
});
