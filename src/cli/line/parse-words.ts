// Parses the words behind a command by its entry in the table: arguments, options, help.
import { parseArgs } from 'node:util';
import { nearestName } from '../../domain/nearest-name.ts';
import { type Command, misuse, type OptionTable, type ParsedWords } from '../command.ts';
import { argumentsOf } from './arguments-of.ts';
import { sharedOptions } from './shared-options.ts';

/** @throws CliProblem that says what is wrong with the words */
export function parseWords(words: readonly string[], command: Command): ParsedWords {
  const options = { ...command.options, ...sharedOptions(command.partner) };
  const { values, positionals } = parse(words, options);
  const parsed: ParsedWords = {
    positionals,
    text: (name) => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    texts: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
    },
    flag: (name) => values[name] === true,
  };
  if (!parsed.flag('help')) check(parsed, command, options);
  return parsed;
}

function parse(words: readonly string[], table: OptionTable) {
  const options = Object.fromEntries(
    Object.entries(table).map(([name, { value, short, isRepeated = false }]) => {
      const type = value === undefined ? ('boolean' as const) : ('string' as const);
      return [name, { type, multiple: isRepeated, ...(short === undefined ? {} : { short }) }];
    }),
  );
  const args = withNumbersJoined(words, table);
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw misuse(sentenceOf(error instanceof Error ? error.message : String(error), table));
  }
}

/** `--vector -0.1,0.2` as `--vector=-0.1,0.2`: no option is a digit, so the number can only be the value. */
function withNumbersJoined(words: readonly string[], table: OptionTable): readonly string[] {
  const takesValue = (word: string) =>
    Object.entries(table).some(
      ([name, { value, short }]) => value !== undefined && (word === `--${name}` || word === `-${short}`),
    );
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const joined: string[] = [];
  for (const word of words.slice(0, end)) {
    const before = joined.at(-1);
    if (before === undefined || !/^-\.?\d/.test(word) || !takesValue(before)) joined.push(word);
    else joined[joined.length - 1] = `${before}${before.startsWith('--') ? '=' : ''}${word}`;
  }
  return [...joined, ...words.slice(end)];
}

/** @param message of Node, whose advice names no option of the table */
function sentenceOf(message: string, table: OptionTable): string {
  const [, given = ''] = /^(?:Unknown option|Option) '(?:-\w, )?(-[^' ]+)/.exec(message) ?? [];
  if (message.startsWith('Unknown')) return `Unknown option '${given}'.${hintFor(given, table)}`;
  const [long] = Object.entries(table).find(([, { short }]) => given === `-${short}`) ?? [];
  const option = long === undefined ? given : `--${long}`;
  if (message.includes('does not take')) return `${option} takes no value.`;
  const advice = ` Write '${option}=VALUE' for a value that begins with a dash.`;
  return `${option} has no value.${message.includes('ambiguous') ? advice : ''}`;
}

/** What an unknown option most likely means. */
function hintFor(option: string, table: OptionTable): string {
  if (/^-\d/.test(option)) return ` Write '-- ${option}' at the end for an argument that begins with a dash.`;
  const nearest = nearestName(
    option,
    Object.keys(table).map((each) => `--${each}`),
  );
  return nearest === null ? '' : ` Is ${nearest} meant?`;
}

function check({ positionals, text, texts }: ParsedWords, command: Command, options: OptionTable): void {
  const expected = argumentsOf(command.arguments);
  const missing = expected.filter(({ isOptional }) => !isOptional)[positionals.length];
  if (missing !== undefined) throw misuse(`Missing argument ${missing.name} of 'pinyon ${command.path}'.`);
  const isOpen = expected.at(-1)?.isRepeated === true;
  if (!isOpen && positionals.length > expected.length)
    throw misuse(`Unexpected argument '${positionals[expected.length]}'.`);
  for (const [name, { choices, isRequired }] of Object.entries(options)) {
    const given = [...texts(name), ...[text(name)].filter((each) => each !== undefined)];
    if (isRequired === true && given.length === 0) throw misuse(`Missing option --${name}.`);
    if (choices !== undefined && given.some((each) => !choices.includes(each)))
      throw misuse(`--${name} must be one of ${choices.join(', ')}.`);
  }
}

/** One of the values, the first by default. @throws CliProblem */
export function choice<Value extends string>(
  words: ParsedWords,
  name: string,
  values: readonly [Value, ...Value[]],
): Value {
  const given = words.text(name) ?? values[0];
  const found = values.find((value) => value === given);
  if (found === undefined) throw misuse(`--${name} must be one of ${values.join(', ')}.`);
  return found;
}

/** A whole number from 1 to `max`. @throws CliProblem */
export function wholeNumber(
  words: ParsedWords,
  name: string,
  preset: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const text = words.text(name);
  if (text === undefined) return preset;
  if (!/^[1-9]\d*$/.test(text))
    throw misuse(`--${name} must be a whole number of at least 1, got '${text}'.`);
  const number = Number(text);
  if (number > max) throw misuse(`--${name} must be at most ${max}, got '${text}'.`);
  return number;
}

/** As `wholeNumber`; undefined where it is not given, and the server decides. @throws CliProblem */
export function optionalNumber(words: ParsedWords, name: string): number | undefined {
  return words.text(name) === undefined ? undefined : wholeNumber(words, name, 1);
}

/** Names with commas between them. @throws CliProblem */
export function namesOf(words: ParsedWords, name: string): readonly string[] | undefined {
  const names = words
    .text(name)
    ?.split(',')
    .map((each) => each.trim());
  if (names?.includes('')) throw misuse(`--${name} must be names with commas between them.`);
  return names;
}

/** A JSON value, such as a filter. @throws CliProblem */
export function jsonOption(words: ParsedWords, name: string): unknown {
  const text = words.text(name);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw misuse(`--${name} is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** The pairs of a repeated `KEY=VALUE` option. @throws CliProblem */
export function pairs(words: ParsedWords, name: string): Readonly<Record<string, string>> | undefined {
  const given = words.texts(name);
  if (given.length === 0) return undefined;
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw misuse(`--${name} must be KEY=VALUE, got ${text}.`);
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );
}
