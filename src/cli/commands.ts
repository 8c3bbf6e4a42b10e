// The commands that talk to a running server; each is loaded when it is run.
import type { Command } from './command.ts';

export const COMMANDS: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Make, list and delete backups of indexes',
    run: async (words, io) => (await import('./commands/backup.ts')).backup(words, io),
  },
  {
    name: 'restore',
    summary: 'Make an index from a backup',
    run: async (words, io) => (await import('./commands/restore.ts')).restore(words, io),
  },
  {
    name: 'import',
    summary: 'Read Parquet or JSONL files into an index',
    run: async (words, io) => (await import('./commands/import.ts')).importFiles(words, io),
  },
  {
    name: 'export',
    summary: 'Write an index into Parquet or JSONL files',
    run: async (words, io) => (await import('./commands/export.ts')).exportFiles(words, io),
  },
  {
    name: 'jobs',
    summary: 'List and cancel imports, exports and restores',
    run: async (words, io) => (await import('./commands/jobs.ts')).jobs(words, io),
  },
  {
    name: 'reembed',
    summary: 'Make the vectors of an index anew, after its model has changed',
    run: async (words, io) => (await import('./commands/reembed.ts')).reembed(words, io),
  },
  {
    name: 'migrate',
    summary: 'Pull an index from another server, the hosted service included',
    run: async (words, io) => (await import('./commands/migrate.ts')).migrate(words, io),
  },
];

/** Lines of the list of commands. */
export function commandList(commands: readonly Pick<Command, 'name' | 'summary'>[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
}
