// The page docs/reference/commands.md, made from the table of commands.
import { type Command, EXIT_CODES, type OptionTable } from '../command.ts';
import { optionName, usageLines } from '../line/help.ts';
import { sharedOptions } from '../line/shared-options.ts';
import { COMMAND_GROUPS } from './command-table.ts';

const WIDTH = 120;
const PARTNERS = [
  ['server', 'Commands that talk to a server'],
  ['administration', 'Commands for projects, keys and people'],
  ['files', 'All others'],
] as const;

export function commandsPage(): string {
  const groups = COMMAND_GROUPS.flatMap(({ title, commands }) => [
    `## ${title}`,
    '',
    ...commands.flatMap((command) => sectionOf(command)),
  ]);
  return [
    '# Commands',
    '',
    'Generated from `src/cli/table` by `npm run docs`; change it there. [command-line.md](../command-line.md) is the guide.',
    '',
    ...groups,
    '## Options of many commands',
    '',
    ...PARTNERS.flatMap(([partner, title]) => [`${title}:`, '', ...optionRows(sharedOptions(partner)), '']),
    '## Exit codes',
    '',
    '| code | |',
    '|---|---|',
    ...[...EXIT_CODES].map(([code, what]) => `| ${code} | ${what} |`),
    '',
  ].join('\n');
}

function sectionOf(command: Command): readonly string[] {
  const { path, summary, about, options = {}, examples = [] } = command;
  const paragraphs = (about ?? `${summary}.`).split('\n\n').flatMap((each) => [...wrap(each), '']);
  return [
    `### pinyon ${path}`,
    '',
    '```text',
    ...usageLines(command),
    '```',
    '',
    ...paragraphs,
    ...(Object.keys(options).length === 0 ? [] : [...optionRows(options), '']),
    ...(examples.length === 0 ? [] : ['```text', ...examples, '```', '']),
  ];
}

function optionRows(options: OptionTable): readonly string[] {
  const rows = Object.entries(options).map(
    ([name, option]) => `| \`${optionName(name, option)}\` | ${escaped(option.about)} |`,
  );
  return ['| option | |', '|---|---|', ...rows];
}

/** Markdown would take these for its own. */
function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('*', '\\*');
}

function wrap(paragraph: string): readonly string[] {
  const lines: string[] = [];
  for (const word of escaped(paragraph).split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
