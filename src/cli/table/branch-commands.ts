// Entries of the table: commands about branches of namespaces.
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const code = () => import('../commands/branches.ts');

export const branchCommands: readonly Command[] = [
  {
    path: 'branch create',
    summary: 'Create a branch of a namespace',
    arguments: 'INDEX NAME',
    about:
      'Creates a namespace with the records of another, at once at any size: what neither side changes is stored once.',
    options: {
      source: { value: 'NAMESPACE', about: 'The namespace to branch (default: __default__)' },
      'as-of': {
        value: 'MOMENT',
        about: 'Begin with its state after this LSN, or at a time as 2026-07-01T09:30:00Z',
      },
    },
    examples: ['pinyon branch create films drama-cleaned --source drama'],
    partner: 'server',
    run: async (words, io) => (await code()).createBranch(words, io),
  },
  {
    path: 'branch list',
    summary: 'List the branches of an index',
    arguments: 'INDEX',
    about: 'Shows each branch with its source and what both sides have changed since.',
    examples: ['pinyon branch list films'],
    partner: 'server',
    run: async (words, io) => (await code()).listBranches(words, io),
  },
  {
    path: 'branch describe',
    summary: 'Show a branch',
    arguments: 'INDEX NAME',
    about: 'Shows what a branch shares with its source, and what both have changed since.',
    examples: ['pinyon branch describe films drama-cleaned'],
    partner: 'server',
    run: async (words, io) => (await code()).describeBranch(words, io),
  },
  {
    path: 'branch diff',
    summary: 'List the records that differ',
    arguments: 'INDEX NAME',
    about: 'Counts the records that are not the same in a branch and in its source, and lists the first.',
    options: {
      limit: { value: 'N', about: 'Records to look at, up to 1,000 (default: 100)' },
      after: { value: 'ID', about: 'Only records after this id' },
    },
    examples: ['pinyon branch diff films drama-cleaned'],
    partner: 'server',
    run: async (words, io) => (await code()).showDifferences(words, io),
  },
  {
    path: 'branch compare',
    summary: 'Compare the results of searches',
    arguments: 'INDEX NAME [ID]...',
    about:
      'Searches by the vectors of these records, or by texts, in a branch and in its source, and shows which results moved.',
    options: {
      'top-k': { value: 'N', about: 'Results of each search, up to 100 (default: 10)' },
      text: {
        value: 'TEXT',
        isRepeated: true,
        about: 'Search by a text, in an index that was made for a model; may be repeated',
      },
      recall: {
        about: 'Search exactly, too, for up to 10 queries, and show what share of that each side finds',
      },
    },
    examples: ['pinyon branch compare films drama-cleaned movie-1 movie-2'],
    partner: 'server',
    run: async (words, io) => (await code()).compareBranch(words, io),
  },
  {
    path: 'branch merge',
    summary: 'Merge a branch into its source',
    arguments: 'INDEX NAME',
    about:
      'Writes to the source what the branch has changed, and waits for the end. The branch stays; drop it when you like.',
    options: {
      'on-conflict': {
        value: 'SIDE',
        about: 'Which side wins where both have changed a record: branch or source (default: fail)',
      },
      'no-wait': { about: 'Return at once' },
    },
    examples: ['pinyon branch merge films drama-cleaned --on-conflict branch'],
    partner: 'server',
    run: async (words, io) => (await code()).mergeBranch(words, io),
  },
  {
    path: 'branch drop',
    summary: 'Drop a branch',
    arguments: 'INDEX NAME',
    about:
      'Deletes the branch with what it has changed, which does not come back. The source stays as it is.',
    options: YES,
    examples: ['pinyon branch drop films drama-cleaned'],
    partner: 'server',
    run: async (words, io) => (await code()).dropBranch(words, io),
  },
];
