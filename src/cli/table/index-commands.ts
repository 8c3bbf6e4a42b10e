// Entries of the table: indexes and namespaces.
import { AS_OF } from '../client/index-target.ts';
import type { Command } from '../command.ts';
import { YES } from '../terminal/confirm.ts';

const TAG = { tag: { value: 'KEY=VALUE', isRepeated: true, about: 'Tag of the index; may be repeated' } };

export const indexCommands: readonly Command[] = [
  {
    path: 'index list',
    summary: 'List the indexes of the project',
    partner: 'server',
    run: async (words, io) => (await import('../commands/indexes.ts')).listIndexes(words, io),
  },
  {
    path: 'index create',
    summary: 'Create an index of vectors, texts or documents',
    arguments: 'NEW_INDEX',
    usages: [
      'NEW_INDEX --dimension N [--metric METRIC] [OPTIONS]',
      'NEW_INDEX --sparse [OPTIONS]',
      'NEW_INDEX --model MODEL [--field FIELD] [OPTIONS]',
      'NEW_INDEX --schema JSON [OPTIONS]',
    ],
    about:
      'Creates an index of vectors (--dimension), of sparse vectors (--sparse), of texts that the server embeds ' +
      '(--model), or of documents (--schema).',
    options: {
      dimension: { value: 'N', about: 'Numbers in a vector' },
      metric: {
        value: 'METRIC',
        choices: ['cosine', 'dotproduct', 'euclidean'],
        about: 'How vectors are compared (default cosine)',
      },
      sparse: { about: 'Sparse vectors, compared by dotproduct' },
      model: { value: 'MODEL', about: "Model that embeds the texts, of 'pinyon models list'" },
      field: {
        value: 'FIELD',
        about: 'With --model: the field of a record that has the text (default text)',
      },
      schema: { value: 'JSON', about: 'Fields of documents, as JSON or the name of a file with it' },
      ...TAG,
      'deletion-protection': { about: 'Protect the index from deletion' },
      cloud: { value: 'CLOUD', about: 'A name that the index is shown with (default aws)' },
      region: { value: 'REGION', about: 'A name that the index is shown with (default us-east-1)' },
    },
    examples: [
      'pinyon index create films --dimension 768',
      'pinyon index create notes --model llama-text-embed-v2',
      `pinyon index create recipes --schema '{"title": {"type": "string", "full_text_search": {}}}'`,
    ],
    partner: 'server',
    run: async (words, io) => (await import('../commands/indexes.ts')).createIndex(words, io),
  },
  {
    path: 'index describe',
    summary: 'Show an index with its counts',
    arguments: 'INDEX',
    partner: 'server',
    run: async (words, io) => (await import('../commands/indexes.ts')).describeIndex(words, io),
  },
  {
    path: 'index configure',
    summary: 'Change tags and deletion protection of an index',
    arguments: 'INDEX',
    options: {
      ...TAG,
      'deletion-protection': {
        value: 'STATE',
        choices: ['enabled', 'disabled'],
        about: 'enabled or disabled',
      },
    },
    partner: 'server',
    run: async (words, io) => (await import('../commands/indexes.ts')).configureIndex(words, io),
  },
  {
    path: 'index delete',
    summary: 'Delete an index with all its records',
    arguments: 'INDEX',
    options: YES,
    partner: 'server',
    run: async (words, io) => (await import('../commands/indexes.ts')).deleteIndex(words, io),
  },
  {
    path: 'namespace list',
    summary: 'List the namespaces of an index',
    arguments: 'INDEX',
    options: { prefix: { value: 'PREFIX', about: 'Only names that begin with it' }, ...AS_OF },
    partner: 'server',
    run: async (words, io) => (await import('../commands/namespaces.ts')).listNamespaces(words, io),
  },
  {
    path: 'namespace create',
    summary: 'Create an empty namespace',
    arguments: 'INDEX NAMESPACE',
    partner: 'server',
    run: async (words, io) => (await import('../commands/namespaces.ts')).createNamespace(words, io),
  },
  {
    path: 'namespace describe',
    summary: 'Show a namespace with its count',
    arguments: 'INDEX NAMESPACE',
    options: AS_OF,
    partner: 'server',
    run: async (words, io) => (await import('../commands/namespaces.ts')).describeNamespace(words, io),
  },
  {
    path: 'namespace delete',
    summary: 'Delete a namespace with all its records',
    arguments: 'INDEX NAMESPACE',
    options: YES,
    partner: 'server',
    run: async (words, io) => (await import('../commands/namespaces.ts')).deleteNamespace(words, io),
  },
];
