// The words behind a command: values that begin with a dash, numbers, and what is said about wrong ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Command } from '../command.ts';
import { parseWords, wholeNumber } from './parse-words.ts';

const COMMAND: Command = {
  path: 'record query',
  summary: 'Query',
  arguments: 'INDEX [ID]',
  options: {
    vector: { value: 'NUMBERS', about: 'The query' },
    namespace: { value: 'NAMESPACE', short: 'n', about: 'Where' },
    limit: { value: 'N', about: 'How many' },
    yes: { about: 'Do not ask' },
  },
  partner: 'files',
};

describe('a command line', () => {
  const parse = (...words: readonly string[]) => parseWords(words, COMMAND);

  it('may have numbers below zero as values of options', () => {
    for (const words of [
      ['films', '--vector', '-0.1,0.2'],
      ['--vector=-0.1,0.2', 'films'],
    ])
      assert.equal(parse(...words).text('vector'), '-0.1,0.2');
    assert.equal(parse('films', '--vector', '-.5').text('vector'), '-.5');
    assert.equal(parse('films', '-n', '-5').text('namespace'), '-5');
    assert.deepEqual(parse('--', '--vector', '-1').positionals, ['--vector', '-1']);
  });

  it('tells how to write what else begins with a dash', () => {
    for (const [words, message] of [
      [
        ['films', '--namespace', '-x'],
        "--namespace has no value. Write '--namespace=VALUE' for a value that begins with a dash. See --help.",
      ],
      [
        ['films', '-n', '--yes'],
        "--namespace has no value. Write '--namespace=VALUE' for a value that begins with a dash. See --help.",
      ],
      [['films', '--namespace'], '--namespace has no value. See --help.'],
      [['films', '-n'], '--namespace has no value. See --help.'],
      [['films', '--yes=1'], '--yes takes no value. See --help.'],
      [
        ['films', '-1'],
        "Unknown option '-1'. Write '-- -1' at the end for an argument that begins with a dash. See --help.",
      ],
      [['films', '--namespaces', 'x'], "Unknown option '--namespaces'. Is --namespace meant? See --help."],
    ] as const)
      assert.throws(() => parse(...words), { message, exitCode: 2 }, words.join(' '));
  });

  it('may have any whole number from 1', () => {
    const limitOf = (text: string) => wholeNumber(parse('films', '--limit', text), 'limit', 10);
    assert.equal(limitOf('1000000'), 1_000_000);
    assert.equal(limitOf('9007199254740991'), Number.MAX_SAFE_INTEGER);
    for (const text of ['0', '-1', '1.5', '1e3', 'all'])
      assert.throws(() => limitOf(text), {
        message: `--limit must be a whole number of at least 1, got '${text}'. See --help.`,
        exitCode: 2,
      });
    assert.throws(() => limitOf('9007199254740992'), /--limit must be at most 9007199254740991, got /);
  });
});
