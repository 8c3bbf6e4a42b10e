// The help texts, written from the table of commands.
import { type Command, type CommandGroup, EXIT_CODES, type OptionTable } from '../command.ts';
import { sharedOptions } from './shared-options.ts';

/** Widest line, where the terminal has no fewer columns. */
const COLUMNS_MAX = 100;
const INDENT = '  ';
/** Names wider than this get a line of their own. */
const NAME_CHARS_MAX = 30;

/** The text of `pinyon --help`, and of a group: `pinyon backup --help`. */
export function listHelp(groups: readonly CommandGroup[], path: string, columns: number | null): string {
  const start = path === '' ? '' : `${path} `;
  const parts = groups.flatMap(({ title, commands }) => {
    const inside = commands.filter((each) => each.path.startsWith(start));
    if (inside.length === 0) return [];
    const rows = inside.map(({ path: name, arguments: words = '', summary }): [string, string] => [
      path === '' ? name : `${name} ${words}`.trim(),
      summary,
    ]);
    return [`${title}:`, list(rows, columns), ''];
  });
  const usage = path === '' ? 'pinyon [COMMAND]' : `pinyon ${path} COMMAND`;
  return [
    `Usage: ${usage}`,
    '',
    ...(path === '' ? [fill(INTRODUCTION, Math.min(columns ?? COLUMNS_MAX, COLUMNS_MAX)), ''] : []),
    ...parts,
    FURTHER,
    '',
  ].join('\n');
}

const INTRODUCTION =
  'Without a command, starts the server; `pinyon settings` lists the variables that configure it.';
const FURTHER = '`pinyon COMMAND --help` explains a command; docs/command-line.md has them all.';

/** The text of `pinyon COMMAND --help`. */
export function commandHelp(command: Command, columns: number | null): string {
  const { about, summary, options = {}, examples = [], partner } = command;
  const width = Math.min(columns ?? COLUMNS_MAX, COLUMNS_MAX);
  const paragraphs = (about ?? `${summary}.`).split('\n\n').flatMap((each) => [fill(each, width), '']);
  return [
    ...usageLines(command).map((line, at) => `${at === 0 ? 'Usage:' : '      '} ${line}`),
    '',
    ...paragraphs,
    ...(Object.keys(options).length === 0 ? [] : ['Options:', optionList(options, columns), '']),
    'Common options:',
    optionList(sharedOptions(partner), columns),
    '',
    ...(examples.length === 0 ? [] : ['Examples:', ...examples.map((line) => `${INDENT}${line}`), '']),
    fill(
      `Exit codes: ${[...EXIT_CODES].map(([code, what]) => `${code} ${what.split(/[,;]/)[0]}`).join(', ')}.`,
      width,
    ),
    '',
  ].join('\n');
}

export function usageLines({
  path,
  usages,
  arguments: words = '',
  options = {},
}: Command): readonly string[] {
  const required = Object.entries(options).filter(([, { isRequired }]) => isRequired === true);
  const isMore = Object.keys(options).length > required.length;
  const usual = [
    words,
    ...required.map(([name, { value }]) => `--${name} ${value}`),
    isMore ? '[OPTIONS]' : '',
  ];
  const endings = usages ?? [usual.filter((each) => each !== '').join(' ')];
  return endings.map((ending) => `pinyon ${path} ${ending}`.trim());
}

/** An option as it is typed: `-h, --help`, `--tag KEY=VALUE`. */
export function optionName(name: string, { value, short, isRepeated }: OptionTable[string]): string {
  const long = `--${name}${value === undefined ? '' : ` ${value}`}${isRepeated === true ? ' ...' : ''}`;
  return short === undefined ? long : `-${short}, ${long}`;
}

function optionList(options: OptionTable, columns: number | null): string {
  const rows = Object.entries(options).map(([name, option]): [string, string] => [
    optionName(name, option),
    option.about,
  ]);
  return list(rows, columns);
}

function list(rows: readonly (readonly [string, string])[], columns: number | null): string {
  const width = Math.min(columns ?? COLUMNS_MAX, COLUMNS_MAX);
  const names = Math.min(NAME_CHARS_MAX, Math.max(...rows.map(([name]) => name.length)));
  const start = INDENT.length + names + 2;
  const lines = rows.flatMap(([name, about]) => {
    const text = fill(about, Math.max(20, width - start)).split('\n');
    const isLong = name.length > names;
    const first = isLong ? [`${INDENT}${name}`] : [];
    const filled = text.map((line, at) => {
      const head = at === 0 && !isLong ? `${INDENT}${name.padEnd(names)}${INDENT}` : ' '.repeat(start);
      return `${head}${line}`;
    });
    return [...first, ...filled];
  });
  return lines.join('\n');
}

/** Breaks a paragraph into lines of at most `width` characters, where its words allow. */
function fill(paragraph: string, width: number): string {
  const lines: string[] = [];
  for (const word of paragraph.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join('\n');
}
