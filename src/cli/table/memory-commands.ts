// Entries of the table: commands that choose what of an index is in memory.
import type { Command } from '../command.ts';

const code = () => import('../commands/memory.ts');

export const memoryCommands: readonly Command[] = [
  {
    path: 'memory set',
    summary: 'Choose what of an index is in memory, and what on disk',
    arguments: 'INDEX',
    about:
      'Searches go on while what is in memory is made anew. Until its graph is built, they compare all records.',
    options: {
      to: {
        value: 'PROFILE',
        isRequired: true,
        about:
          '`memory`, or `disk` for an index of 128 dimensions or more, which then takes less than half of the memory',
      },
    },
    examples: ['pinyon memory set films --to disk'],
    partner: 'server',
    run: async (words, io) => (await code()).memorySetting.set(words, io),
  },
  {
    path: 'memory describe',
    summary: 'Show what of an index is in memory, and what on disk',
    arguments: 'INDEX',
    partner: 'server',
    run: async (words, io) => (await code()).memorySetting.describe(words, io),
  },
  {
    path: 'memory end',
    summary: "Return to the server's default of what is in memory",
    arguments: 'INDEX',
    partner: 'server',
    run: async (words, io) => (await code()).memorySetting.end(words, io),
  },
];
