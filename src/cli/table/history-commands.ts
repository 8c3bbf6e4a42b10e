// Entries of the table: commands that show what changed in an index, and take it back.
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const code = () => import('../commands/history.ts');

const namespace = { value: 'NAMESPACE', about: 'Only this namespace (default: all)' } as const;

export const historyCommands: readonly Command[] = [
  {
    path: 'history',
    summary: 'Show what changed in an index',
    arguments: 'INDEX',
    about: 'Shows how far back an undo can go, and what each request or job changed, the latest first.',
    options: {
      namespace,
      limit: { value: 'N', about: 'Changes to show, up to 100 (default: 20)' },
      before: { value: 'LSN', about: 'Only changes before this LSN' },
    },
    examples: ['pinyon history films --namespace drama'],
    partner: 'server',
    run: async (words, io) => (await code()).showHistory(words, io),
  },
  {
    path: 'changes',
    summary: 'Print what is committed in an index, in order',
    arguments: 'INDEX',
    about:
      'A line of JSON for each write: its LSN, time, namespace, kind and the ids that it changed, with the cursor to go ' +
      'on with. Without --after, it begins at the present. Unless it follows, the cursor after all goes to standard ' +
      'error at the end; with --json, it is a last line of its own: {"cursor": ...}.',
    options: {
      namespace,
      after: { value: 'CURSOR', about: 'Only changes after this cursor or LSN' },
      follow: { about: 'Wait for further changes' },
    },
    examples: ['pinyon changes films --after 0', 'pinyon changes films --follow'],
    partner: 'server',
    run: async (words, io) => (await import('../commands/changes.ts')).printChanges(words, io),
  },
  {
    path: 'undo',
    summary: 'Take an index back to a moment',
    arguments: 'INDEX',
    about:
      'Writes the records as they were and waits for the end. What others write meanwhile stays. The undo is part of ' +
      'the history, so it can be undone.',
    options: {
      namespace,
      before: { value: 'LSN', about: 'The state before this change, as the history lists it' },
      to: { value: 'TIME', about: 'The state at this moment, as in 2026-07-01T09:30:00Z' },
      'to-lsn': { value: 'LSN', about: 'The state after the write with this LSN' },
      'no-wait': { about: 'Return at once' },
      ...YES,
    },
    examples: [
      'pinyon undo films --before 117',
      'pinyon undo films --namespace drama --to 2026-07-01T09:30:00Z',
    ],
    partner: 'server',
    run: async (words, io) => (await code()).undo(words, io),
  },
];
