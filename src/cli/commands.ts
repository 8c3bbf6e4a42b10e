// The commands that talk to a running server; each is loaded when it is run.
import { type Command, RESUMABLE } from './command.ts';

const GOES_ON = 'What was begun on the server goes on there.';

export const COMMANDS: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Make, list and delete backups of indexes',
    interrupted: GOES_ON,
    run: async (words, io) => (await import('./commands/backup.ts')).backup(words, io),
  },
  {
    name: 'restore',
    summary: 'Make an index from a backup',
    interrupted: GOES_ON,
    run: async (words, io) => (await import('./commands/restore.ts')).restore(words, io),
  },
  {
    name: 'import',
    summary: 'Read Parquet or JSONL files into an index',
    interrupted: GOES_ON,
    run: async (words, io) => (await import('./commands/import.ts')).importFiles(words, io),
  },
  {
    name: 'export',
    summary: 'Write an index into Parquet or JSONL files',
    interrupted: GOES_ON,
    run: async (words, io) => (await import('./commands/export.ts')).exportFiles(words, io),
  },
  {
    name: 'jobs',
    summary: 'List and cancel imports, exports and restores',
    run: async (words, io) => (await import('./commands/jobs.ts')).jobs(words, io),
  },
  {
    name: 'reembed',
    summary: 'Make the vectors of an index or an assistant anew, after its models have changed',
    interrupted: GOES_ON,
    run: async (words, io) => (await import('./commands/reembed.ts')).reembed(words, io),
  },
  {
    name: 'migrate',
    summary: 'Pull an index from another server, the hosted service included',
    interrupted: RESUMABLE,
    run: async (words, io) => (await import('./commands/migrate.ts')).migrate(words, io),
  },
];

/** Lines of the list of commands. */
export function commandList(commands: readonly Pick<Command, 'name' | 'summary'>[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
}
