// Entries of the table: nodes that have records of their own.
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

export const nodeCommands: readonly Command[] = [
  {
    path: 'index move',
    summary: 'Move an index to another node, while it is read and written',
    arguments: 'INDEX',
    options: {
      to: {
        value: 'NODE',
        isRequired: true,
        about: "The node that gets it, by its id or address in 'pinyon node list'",
      },
      project: { value: 'PROJECT', about: 'Project, by name or id (default the only one)' },
      'from-backup': {
        value: 'ID',
        about:
          'Make it anew from this backup, or from the `newest`, since its node is gone for good. What was acknowledged after the backup is lost',
      },
      'no-wait': { about: 'Return when the move has begun' },
      ...YES,
    },
    examples: [
      'pinyon index move books --to http://10.0.0.3:5080',
      'pinyon index move books --to http://10.0.0.3:5080 --from-backup newest',
    ],
    partner: 'administration',
    run: async (words, io) => (await import('../commands/nodes.ts')).moveIndex(words, io),
  },
  {
    path: 'assistant move',
    summary: 'Move an assistant to another node, while it answers',
    arguments: 'ASSISTANT',
    options: {
      to: {
        value: 'NODE',
        isRequired: true,
        about: "The node that gets it, by its id or address in 'pinyon node list'",
      },
      project: { value: 'PROJECT', about: 'Project, by name or id (default the only one)' },
      'from-files': { about: 'Process its files again, since its node is gone for good' },
      'no-wait': { about: 'Return when the move has begun' },
      ...YES,
    },
    examples: ['pinyon assistant move helper --to http://10.0.0.3:5080'],
    partner: 'administration',
    run: async (words, io) => (await import('../commands/nodes.ts')).moveAssistant(words, io),
  },
  {
    path: 'node list',
    summary: 'List the nodes that have records of their own',
    partner: 'administration',
    run: async (words, io) => (await import('../commands/nodes.ts')).listNodes(words, io),
  },
  {
    path: 'node drain',
    summary: 'Move all that a node has to the others, and place nothing new there',
    arguments: 'NODE',
    options: { end: { about: 'Let the node get new indexes again' } },
    partner: 'administration',
    run: async (words, io) => (await import('../commands/nodes.ts')).drainNode(words, io),
  },
  {
    path: 'node forget',
    summary: 'Forget a node that is gone for good and has nothing any more',
    arguments: 'NODE',
    options: YES,
    partner: 'administration',
    run: async (words, io) => (await import('../commands/nodes.ts')).forgetNode(words, io),
  },
];
