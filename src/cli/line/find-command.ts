// Finds the command that the first words of a line name.
import { nearestName } from '../../domain/nearest-name.ts';
import { type Command, misuse } from '../command.ts';
import { ALL_SHARED } from './shared-options.ts';

export type Found =
  /** A command and the words behind its name. */
  | { readonly kind: 'command'; readonly command: Command; readonly rest: readonly string[] }
  /** Help for all commands, or for those whose names begin with `path`. */
  | { readonly kind: 'help'; readonly path: string }
  | { readonly kind: 'version' };

/** @throws CliProblem that names the nearest command */
export function findCommand(words: readonly string[], commands: readonly Command[]): Found {
  const [options, line] = leadingOptions(words);
  const [first] = line;
  if (first === undefined && words.length > 0) {
    const isVersion = options.some((word) => word === '--version' || word === '-v');
    return isVersion ? { kind: 'version' } : { kind: 'help', path: '' };
  }
  if (first === 'help') return helpFor(line.slice(1), commands);
  const { command, path, rest } = longestMatch(line, commands);
  // Before the others, which may end options by `--`.
  if (command !== undefined) return { kind: 'command', command, rest: [...options, ...rest] };
  const [next] = rest;
  const isHelp = [...rest, ...options].some((word) => word === '--help' || word === '-h');
  if (path !== '' && (isHelp || next === undefined)) {
    if (isHelp) return { kind: 'help', path };
    throw misuse(`'pinyon ${path}' needs one of ${subcommands(path, commands).join(', ')}.`);
  }
  throw unknown(path, next ?? '', commands);
}

function helpFor(words: readonly string[], commands: readonly Command[]): Found {
  if (words.length === 0) return { kind: 'help', path: '' };
  const { command, path, rest } = longestMatch(words, commands);
  if (rest[0] !== undefined && command === undefined) throw unknown(path, rest[0], commands);
  return command === undefined ? { kind: 'help', path } : { kind: 'command', command, rest: ['--help'] };
}

/** The words of options before the command, which may also stand behind it. A `--` ends them: the command follows. */
function leadingOptions(words: readonly string[]): [readonly string[], readonly string[]] {
  let at = 0;
  while (words[at]?.startsWith('-') && words[at] !== '--') {
    const name = (words[at] ?? '').replace(/^--/, '');
    at += ALL_SHARED[name]?.value === undefined ? 1 : 2;
  }
  return [words.slice(0, at), words.slice(words[at] === '--' ? at + 1 : at)];
}

/** The command with the longest path that begins the words, or the part of a path that does. */
function longestMatch(words: readonly string[], commands: readonly Command[]) {
  let path = '';
  let command: Command | undefined;
  let rest = words;
  for (const [at, word] of words.entries()) {
    const next = candidates(word).find((each) => beginsAny(join(path, each), commands));
    if (next === undefined) break;
    path = join(path, next);
    command = commands.find((each) => each.path === path);
    rest = words.slice(at + 1);
  }
  return { command, path, rest };
}

/** The word, and what it may be the plural of: `indexes` stands for `index`. */
function candidates(word: string): readonly string[] {
  return [word, word.replace(/s$/, ''), word.replace(/es$/, '')];
}

function join(path: string, word: string): string {
  return path === '' ? word : `${path} ${word}`;
}

function beginsAny(path: string, commands: readonly Command[]): boolean {
  return commands.some((each) => each.path === path || each.path.startsWith(`${path} `));
}

/** The words that may follow a path. */
export function subcommands(path: string, commands: readonly Command[]): readonly string[] {
  const start = path === '' ? '' : `${path} `;
  const following = commands
    .filter((each) => each.path.startsWith(start))
    .map((each) => each.path.slice(start.length).split(' ')[0] ?? '');
  return [...new Set(following)];
}

function unknown(path: string, word: string, commands: readonly Command[]): Error {
  const nearest = nearestName(word, subcommands(path, commands));
  const hint = nearest === null ? '' : ` Is '${join(`pinyon ${path}`.trim(), nearest)}' meant?`;
  return misuse(`Unknown command '${join(path, word)}'.${hint}`);
}
