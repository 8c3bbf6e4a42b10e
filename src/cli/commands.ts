// The commands that talk to a running server; each is loaded on use.
import { type Command, RESUMABLE } from './command.ts';

const JOB_CONTINUES = 'The job continues on the server.';

export const COMMANDS: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Create, list and delete backups of indexes',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('./commands/backup.ts')).backup(words, io),
  },
  {
    name: 'restore',
    summary: 'Create an index from a backup',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('./commands/restore.ts')).restore(words, io),
  },
  {
    name: 'import',
    summary: 'Import Parquet or JSONL files into an index',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('./commands/import.ts')).importFiles(words, io),
  },
  {
    name: 'export',
    summary: 'Export an index to Parquet or JSONL files',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('./commands/export.ts')).exportFiles(words, io),
  },
  {
    name: 'health',
    summary: 'Tell whether the server is ready',
    run: async (words, io) => (await import('./commands/health.ts')).health(words, io),
  },
  {
    name: 'jobs',
    summary: 'List and cancel imports, exports and restores',
    run: async (words, io) => (await import('./commands/jobs.ts')).jobs(words, io),
  },
  {
    name: 'reembed',
    summary: 'Re-embed an index or an assistant after its models have changed',
    interrupted: JOB_CONTINUES,
    run: async (words, io) => (await import('./commands/reembed.ts')).reembed(words, io),
  },
  {
    name: 'migrate',
    summary: 'Copy an index from another server or the hosted service',
    interrupted: RESUMABLE,
    run: async (words, io) => (await import('./commands/migrate.ts')).migrate(words, io),
  },
];

/** The lines of the list of commands. */
export function commandList(commands: readonly Pick<Command, 'name' | 'summary'>[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`).join('');
}
