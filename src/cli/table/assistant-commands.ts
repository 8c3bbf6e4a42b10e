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
    partner: 'server',
    run: async (words, io) => (await import('../commands/assistants/manage.ts')).deleteFile(words, io),
  },
];
