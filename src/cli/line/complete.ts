// What a shell may complete a command line with: commands, options, values, names on the server.
import type { Command, Io, OptionSpec } from '../command.ts';
import { argumentsOf } from './arguments-of.ts';
import { namesOf } from './complete-names.ts';
import { subcommands } from './find-command.ts';
import { sharedOptions } from './shared-options.ts';

/** The hidden command that completion scripts call. */
export const COMPLETE = '__complete';
/** Ends the answer: the shell completes paths of files, or of folders, beside the lines above. */
const FILES = ':files\n';
const FOLDERS = ':folders\n';
/** Placeholders whose values are paths. */
const PATHS: Readonly<Record<string, string>> = { FILE: FILES, FOLDER: FOLDERS, PATH: FILES };

/**
 * One line for each candidate, with a tab between the word and what it means; perhaps a last line that asks for paths.
 * @param words those behind `pinyon`; the last one is being typed and may be empty
 */
export async function completions(
  words: readonly string[],
  commands: readonly Command[],
  io: Io,
): Promise<string> {
  const current = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, path, positionals, pending } = stateOf(before, commands);
  if (pending !== undefined) return valuesOf(pending, { current, before, io });
  if (current.startsWith('-')) return optionsOf(command, before, current);
  const next = subcommands(path, commands).filter((word) => word !== '');
  const names = next.map((word): [string, string] => [word, summaryOf(path, word, commands)]);
  const offered = positionals.length === 0 ? matching(names, current) : '';
  if (command === undefined) return offered;
  const expected = argumentsOf(command.arguments);
  const argument =
    expected[positionals.length] ?? (expected.at(-1)?.isRepeated ? expected.at(-1) : undefined);
  return argument === undefined ? offered : offered + (await named(argument.name, { current, before, io }));
}

interface State {
  readonly command: Command | undefined;
  readonly path: string;
  readonly positionals: readonly string[];
  /** The option whose value is being typed. */
  readonly pending: OptionSpec | undefined;
}

function stateOf(before: readonly string[], commands: readonly Command[]): State {
  let path = '';
  let pending: OptionSpec | undefined;
  const positionals: string[] = [];
  const shared = sharedOptions('server');
  for (const word of before) {
    if (pending !== undefined) pending = undefined;
    else if (word.startsWith('--')) {
      const option = { ...commandAt(path, commands)?.options, ...shared }[word.slice(2)];
      if (option?.value !== undefined) pending = option;
    } else if (!word.startsWith('-')) {
      if (positionals.length === 0 && subcommands(path, commands).includes(word))
        path = `${path} ${word}`.trim();
      else positionals.push(word);
    }
  }
  return { command: commandAt(path, commands), path, positionals, pending };
}

function commandAt(path: string, commands: readonly Command[]): Command | undefined {
  return commands.find((each) => each.path === path);
}

function summaryOf(path: string, word: string, commands: readonly Command[]): string {
  const whole = `${path} ${word}`.trim();
  const command = commandAt(whole, commands);
  return command?.summary ?? subcommands(whole, commands).join(', ');
}

interface Asked {
  readonly current: string;
  readonly before: readonly string[];
  readonly io: Io;
}

async function valuesOf({ value = '', choices }: OptionSpec, asked: Asked): Promise<string> {
  if (choices === undefined) return named(value, asked);
  return matching(
    choices.map((each) => [each, '']),
    asked.current,
  );
}

/** Paths, or names that the server or the profiles know. */
async function named(placeholder: string, { current, before, io }: Asked): Promise<string> {
  const paths = PATHS[placeholder];
  if (paths !== undefined) return paths;
  const names = await namesOf(placeholder, before, io);
  return matching(
    names.map((name) => [name, '']),
    current,
  );
}

function optionsOf(command: Command | undefined, before: readonly string[], current: string): string {
  const options = { ...command?.options, ...sharedOptions(command?.partner ?? 'files') };
  const unused = Object.entries(options).filter(
    ([name, { isRepeated }]) => isRepeated === true || !before.includes(`--${name}`),
  );
  return matching(
    unused.map(([name, { about }]) => [`--${name}`, about]),
    current,
  );
}

function matching(words: readonly (readonly [string, string])[], current: string): string {
  return words
    .filter(([word]) => word.startsWith(current))
    .map(([word, about]) => `${word}\t${about}\n`)
    .join('');
}
