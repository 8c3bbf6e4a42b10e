// Parses the arguments of a command: positionals, options, help. Client commands share the common options.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CliProblem, EXIT_MISUSED, type Io } from './command.ts';

export type OptionTable = NonNullable<ParseArgsConfig['options']>;

const COMMON: OptionTable = {
  url: { type: 'string' },
  'api-key': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
};

export const COMMON_HELP = `
  --url URL        Base address of the server (PINYON_URL; default http://localhost:5080)
  --api-key KEY    API key of the project (PINYON_API_KEY)
  --json           Print the result as one line of JSON
  -h, --help       Show this text

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 3 no server at the address, 130 interrupted.
`;

export interface ParsedWords {
  readonly positionals: readonly string[];
  text(name: string): string | undefined;
  /** All values of an option that may be repeated. */
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

export interface Usage {
  /** What `--help` prints above the common options. */
  readonly help: string;
  readonly options?: OptionTable;
  /** The bounds on the number of positional arguments. */
  readonly positionalsMin: number;
  readonly positionalsMax: number;
}

/** Null when help was requested, and printed. @throws CliProblem */
export function readWords(words: readonly string[], usage: Usage, io: Io): ParsedWords | null {
  const { help, options = {}, positionalsMin, positionalsMax } = usage;
  const parsed = parse(words, { ...options, ...COMMON });
  const { values, positionals } = parsed;
  if (values.help === true) {
    io.out(`${help.trim()}\n${COMMON_HELP}`);
    return null;
  }
  if (positionals.length < positionalsMin) throw misuse(`Missing argument; usage: ${usageOf(help)}.`);
  if (positionals.length > positionalsMax)
    throw misuse(`Unexpected argument '${positionals[positionalsMax]}'.`);
  return {
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
}

/** The first usage line of a help text. */
function usageOf(help: string): string {
  return /^Usage: (.*)$/m.exec(help)?.[1] ?? '';
}

function parse(words: readonly string[], options: OptionTable) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw misuse(`${sentence}.`);
  }
}

export function misuse(sentence: string): CliProblem {
  return new CliProblem(`${sentence} See --help.`, EXIT_MISUSED);
}

/** One of the values. @throws CliProblem */
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

/** A whole number of at least 1. @throws CliProblem */
export function wholeNumber(words: ParsedWords, name: string, preset: number): number {
  const text = words.text(name);
  if (text === undefined) return preset;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw misuse(`--${name} must be a whole number of at least 1.`);
  return Number(text);
}
