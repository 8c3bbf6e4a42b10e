// Entries of the table: commands that set the recall that the searches of an index promise.
import type { Command } from '../command.ts';

const code = () => import('../commands/recall.ts');

export const recallCommands: readonly Command[] = [
  {
    path: 'recall set',
    summary: 'Promise a recall to the searches of an index',
    arguments: 'INDEX',
    about:
      'Searches take the effort that the promise needs, and more where audits show that it is not kept. A search may name another recall by itself.',
    options: {
      recall: {
        value: 'SHARE',
        isRequired: true,
        about: 'The share of the true best among the results, 0.9 to 0.999',
      },
    },
    examples: ['pinyon recall set films --recall 0.99'],
    partner: 'server',
    run: async (words, io) => (await code()).recallSetting.set(words, io),
  },
  {
    path: 'recall describe',
    summary: 'Show the recall that an index promises, and what audits have shown',
    arguments: 'INDEX',
    partner: 'server',
    run: async (words, io) => (await code()).recallSetting.describe(words, io),
  },
  {
    path: 'recall end',
    summary: 'Promise the usual recall again',
    arguments: 'INDEX',
    partner: 'server',
    run: async (words, io) => (await code()).recallSetting.end(words, io),
  },
];
