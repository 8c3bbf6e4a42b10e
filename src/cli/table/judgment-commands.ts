// Entries of the table: judgment sets, and searches scored by them.
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const code = () => import('../commands/judgments.ts');
const FORM = 'JSON lines or a JSON list, each {"text": ..., "judgments": [{"id": ..., "grade": 0 to 3}]}';

export const judgmentCommands: readonly Command[] = [
  {
    path: 'judgments list',
    summary: 'List the judgment sets of an index',
    arguments: 'INDEX',
    partner: 'server',
    run: async (words, io) => (await code()).listSets(words, io),
  },
  {
    path: 'judgments create',
    summary: 'Create a judgment set from a file of questions',
    arguments: 'INDEX FILE',
    about: `FILE has ${FORM}; - is what is piped in. A question may have an id or a vector instead of a text.`,
    options: {
      name: { value: 'NAME', isRequired: true, about: 'The name of the set' },
      namespace: {
        value: 'NAMESPACE',
        about: 'Where the questions are asked (default: the default namespace)',
      },
    },
    examples: ['pinyon judgments create films questions.jsonl --name everyday'],
    partner: 'server',
    run: async (words, io) => (await code()).createSet(words, io),
  },
  {
    path: 'judgments upload',
    summary: 'Replace the questions of a judgment set by those of a file',
    arguments: 'INDEX SET FILE',
    about: `SET is the id of a set. FILE has ${FORM}; - is what is piped in.`,
    partner: 'server',
    run: async (words, io) => (await code()).uploadQuestions(words, io),
  },
  {
    path: 'judgments download',
    summary: 'Print the questions of a judgment set as JSON lines',
    arguments: 'INDEX SET',
    about: 'SET is the id of a set. The output is what upload takes.',
    partner: 'server',
    run: async (words, io) => (await code()).downloadQuestions(words, io),
  },
  {
    path: 'judgments score',
    summary: 'Measure searches by a judgment set: nDCG, recall and MRR',
    arguments: 'INDEX SET',
    about:
      'SET is the id of a set. Each configuration is a JSON object of settings of searches, such as {"recall": 0.95} or ' +
      '{"rerank": {"model": "...", "rank_fields": ["text"]}}; an empty one is the default.',
    options: {
      k: { value: 'N', about: 'Results that count (default 10)' },
      configuration: {
        value: 'JSON',
        isRepeated: true,
        about: 'Settings to score; may be repeated, to compare (default: {})',
      },
    },
    examples: [`pinyon judgments score films SET --configuration '{}' --configuration '{"recall":0.95}'`],
    partner: 'server',
    run: async (words, io) => (await code()).scoreSet(words, io),
  },
  {
    path: 'judgments delete',
    summary: 'Delete a judgment set with its scores',
    arguments: 'INDEX SET',
    options: YES,
    partner: 'server',
    run: async (words, io) => (await code()).deleteSet(words, io),
  },
];
