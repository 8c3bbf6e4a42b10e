// Entries of the table: assistants.
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

export const assistantCommands: readonly Command[] = [
  {
    path: 'assistant list',
    summary: 'List the assistants of the project',
    partner: 'server',
    run: async (words, io) => (await import('../commands/assistants/manage.ts')).listAssistants(words, io),
  },
  {
    path: 'assistant create',
    summary: 'Create an assistant',
    arguments: 'NEW_ASSISTANT',
    options: { instructions: { value: 'TEXT', about: 'What a language model is told about its task' } },
    partner: 'server',
    run: async (words, io) => (await import('../commands/assistants/manage.ts')).createAssistant(words, io),
  },
  {
    path: 'assistant describe',
    summary: 'Show an assistant',
    arguments: 'ASSISTANT',
    partner: 'server',
    run: async (words, io) => (await import('../commands/assistants/manage.ts')).describeAssistant(words, io),
  },
  {
    path: 'assistant delete',
    summary: 'Delete an assistant with all its files',
    arguments: 'ASSISTANT',
    options: YES,
    partner: 'server',
    run: async (words, io) => (await import('../commands/assistants/manage.ts')).deleteAssistant(words, io),
  },
  {
    path: 'assistant upload',
    summary: 'Upload files and folders',
    arguments: 'ASSISTANT PATH...',
    about:
      'Uploads files, and those below folders, and waits until questions find them. Hidden files and files of types that ' +
      'the server cannot read are left out of folders. Files that are refused are named at the end, and the exit code ' +
      'is 1.',
    options: {
      metadata: { value: 'JSON', about: 'Metadata of every file, as {"year": 2026}' },
      'at-once': { value: 'N', about: 'Files on their way at a time (default 4)' },
      'no-wait': { about: 'Return as soon as the files are stored' },
    },
    examples: ['pinyon assistant upload helper ./manuals'],
    partner: 'server',
    interrupted: 'Files that were uploaded stay.',
    run: async (words, io) => (await import('../commands/assistants/upload.ts')).upload(words, io),
  },
  {
    path: 'assistant ask',
    summary: 'Ask a question, and print the answer while it arrives',
    arguments: 'ASSISTANT [QUESTION]...',
    about:
      'Prints the answer with the numbers of its sources, and then the sources. Without a QUESTION, reads it from a pipe.',
    options: {
      model: { value: 'MODEL', about: 'Language model, of those that the server offers' },
      filter: { value: 'JSON', about: 'Only files whose metadata match' },
    },
    examples: ['pinyon assistant ask helper "How do I change the filter?"'],
    partner: 'server',
    run: async (words, io) => (await import('../commands/assistants/ask.ts')).ask(words, io),
  },
  {
    path: 'assistant evaluate',
    summary: 'Measure the answers to a set of questions, also in two configurations',
    arguments: 'ASSISTANT',
    about:
      'Asks each question of a file and prints means and the worst questions: retrieval recall (a snippet is of the ' +
      'right file and page), citation precision, correctness, completeness and alignment with the true answer, tokens ' +
      'and seconds. A row has question and answer, and may have file and page. With --against or --compare, both ' +
      'configurations stand side by side. Exit code 1 if questions failed.',
    options: {
      questions: {
        value: 'FILE',
        about: 'The questions, as JSON lines, a JSON list or CSV',
        isRequired: true,
      },
      format: {
        value: 'FORMAT',
        about: 'That of the questions (default by the ending)',
        choices: ['jsonl', 'json', 'csv', 'parquet'],
      },
      model: { value: 'MODEL', about: 'Language model, of those that the server offers' },
      'top-k': { value: 'N', about: 'Snippets of a context' },
      'snippet-size': { value: 'TOKENS', about: 'Maximum size of a snippet' },
      filter: { value: 'JSON', about: 'Only files whose metadata match' },
      against: { value: 'ASSISTANT', about: 'Second assistant to compare with' },
      compare: {
        value: 'OPTION=VALUE',
        about: 'Second configuration to compare with: model, top-k, snippet-size or filter; may be repeated',
        isRepeated: true,
      },
      output: { value: 'FILE', about: 'Write every question and the summary as JSON lines' },
      worst: { value: 'N', about: 'Questions listed below the means (default 5)' },
      'at-once': { value: 'N', about: 'Questions on their way at a time (default 4)' },
    },
    examples: [
      'pinyon assistant evaluate helper --questions questions.csv --output result.jsonl',
      'pinyon assistant evaluate helper --questions questions.csv --compare top-k=4',
    ],
    partner: 'server',
    interrupted: 'The file of --output, if one was named, has the questions asked so far.',
    run: async (words, io) =>
      (await import('../commands/assistants/evaluate/evaluate.ts')).evaluate(words, io),
  },
  {
    path: 'assistant files',
    summary: 'List the files of an assistant',
    arguments: 'ASSISTANT',
    partner: 'server',
    run: async (words, io) => (await import('../commands/assistants/manage.ts')).listFiles(words, io),
  },
  {
    path: 'assistant remove-file',
    summary: 'Delete a file of an assistant, by its name or id',
    arguments: 'ASSISTANT FILE_NAME',
    options: YES,
    partner: 'server',
    run: async (words, io) => (await import('../commands/assistants/manage.ts')).deleteFile(words, io),
  },
];
