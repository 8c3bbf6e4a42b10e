// Entries of the table: commands that give an index another model while it answers.
import type { Command, Io, ParsedWords } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const code = () => import('../commands/model-change.ts');

export const modelChangeCommands: readonly Command[] = [
  {
    path: 'model-change start',
    summary: 'Make vectors of an index by another model, while the present ones answer',
    arguments: 'INDEX',
    about:
      'Makes new vectors from the stored texts of all records, and waits until they are ready. The present vectors answer ' +
      'all the while, and writes reach both. Run again after a failure, it goes on.',
    options: {
      model: { value: 'MODEL', isRequired: true, about: 'The new model' },
      dimension: {
        value: 'N',
        about: 'Dimension of the new vectors (default: that of the present ones where the model can make it)',
      },
      'no-wait': { about: 'Return as soon as it has started' },
    },
    examples: ['pinyon model-change start films --model all-minilm-l6-v2'],
    partner: 'server',
    interrupted: 'The job continues on the server.',
    run: async (words, io) => (await code()).startChange(words, io),
  },
  {
    path: 'model-change describe',
    summary: 'Show the change of the model of an index',
    arguments: 'INDEX',
    partner: 'server',
    run: async (words, io) => (await code()).describeChange(words, io),
  },
  {
    path: 'model-change compare',
    summary: 'Compare what the present and the new vectors of an index find',
    arguments: 'INDEX [QUERY]...',
    about:
      'Searches both by the same texts, each by its own model: by those given, or by the latest that the index was asked ' +
      'since the start of the server.',
    options: {
      namespace: { value: 'NAMESPACE', about: 'The namespace of the given queries' },
      'top-k': { value: 'N', about: 'Records to compare for each query (default 10)' },
    },
    partner: 'server',
    run: async (words, io) => (await code()).compareModels(words, io),
  },
  exchange('switch', 'Let the new vectors of an index answer'),
  exchange('revert', 'Let the former vectors of an index answer again'),
  {
    path: 'model-change end',
    summary: 'Remove the vectors of an index that do not answer',
    arguments: 'INDEX',
    about: 'Before a switch this gives the change up; after it, the way back.',
    options: YES,
    partner: 'server',
    run: async (words, io) => (await code()).endChange(words, io),
  },
];

function exchange(which: 'switch' | 'revert', summary: string): Command {
  return {
    path: `model-change ${which}`,
    summary,
    arguments: 'INDEX',
    partner: 'server',
    run: async (words: ParsedWords, io: Io) => (await code()).exchange(words, io, which),
  };
}
