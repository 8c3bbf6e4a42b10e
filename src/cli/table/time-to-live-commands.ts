// Entries of the table: commands that set when the records of an index expire.
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const code = () => import('../commands/time-to-live.ts');

export const timeToLiveCommands: readonly Command[] = [
  {
    path: 'ttl set',
    summary: 'Set when the records of an index expire',
    arguments: 'INDEX',
    about:
      'Replaces the whole setting. From then on, no read shows a record whose moment has passed, and the background ' +
      'removes it. Any number is a moment: a field of years would expire all records. So it counts the stored records that ' +
      'would expire at once, and asks where there are any.',
    options: {
      field: {
        value: 'FIELD',
        isRequired: true,
        about: 'The metadata field with the moment at which a record expires, in seconds since 1970',
      },
      seconds: {
        value: 'N',
        about: 'How long records without a moment live from their upsert on (default: for ever)',
      },
      namespaces: {
        value: 'LIST',
        about: 'Lifetimes of single namespaces, as in sessions=3600,archive=ever',
      },
      ...YES,
    },
    examples: ['pinyon ttl set films --field expires_at --seconds 86400'],
    partner: 'server',
    run: async (words, io) => (await code()).timeToLiveSetting.set(words, io),
  },
  {
    path: 'ttl describe',
    summary: 'Show when the records of an index expire',
    arguments: 'INDEX',
    partner: 'server',
    run: async (words, io) => (await code()).timeToLiveSetting.describe(words, io),
  },
  {
    path: 'ttl end',
    summary: 'Let the records of an index live for ever',
    arguments: 'INDEX',
    about: 'Records that have expired and are not removed yet are seen again.',
    partner: 'server',
    run: async (words, io) => (await code()).timeToLiveSetting.end(words, io),
  },
];
