// Entries of the table: records and documents.
import { AS_OF, NAMESPACE } from '../client/index-target.ts';
import type { Command, OptionTable } from '../command.ts';

const TOP_K = { 'top-k': { value: 'N', short: 'k', about: 'How many to find (default 10)' } };
const FILTER = { filter: { value: 'JSON', about: 'Filter on metadata, as {"year": {"$gte": 1990}}' } };
const UPSERT: OptionTable = {
  ...NAMESPACE,
  format: {
    value: 'FORMAT',
    choices: ['jsonl', 'json', 'csv', 'parquet'],
    about: 'Format of the files (default by their ending, jsonl for pipes)',
  },
  columns: {
    value: 'PAIRS',
    about: 'Fields of records whose columns or fields have other names in the files, as values=vector,id=key',
  },
  'text-columns': {
    value: 'NAMES',
    about:
      'Columns of CSV whose cells stay texts, as zip,code; ids and the texts of the index do so, others become numbers, lists and objects where they look so',
  },
  batches: { value: 'N', about: 'Batches sent at a time (default 4)' },
};
const LIST: OptionTable = {
  ...NAMESPACE,
  prefix: { value: 'PREFIX', about: 'Only ids that begin with it' },
  limit: { value: 'N', about: 'At most this many (default all)' },
  ...AS_OF,
};
const DELETE: OptionTable = {
  ...NAMESPACE,
  ...FILTER,
  all: { about: 'Delete everything in the namespace' },
  yes: { about: 'With --filter or --all: do not ask' },
};

export const recordCommands: readonly Command[] = [
  {
    path: 'record upsert',
    summary: 'Store the records of files or a pipe',
    arguments: 'INDEX [FILE]...',
    about:
      'Reads JSONL, JSON, CSV or Parquet, also compressed with gzip (.gz), and sends the records in batches. A record has ' +
      'an id, values (a list of numbers), sparse_values and metadata; in an index of texts, the field with the text ' +
      'in place of values. Other fields and columns become metadata. Without a FILE, reads from a pipe.\n\n' +
      'Existing records of the same ids are replaced. After an interruption, run the command again.',
    options: UPSERT,
    examples: [
      'pinyon record upsert films films.jsonl',
      'pinyon record fetch films a b | pinyon record upsert copy',
      'psql -c "copy notes to stdout csv header" | pinyon record upsert notes --format csv',
    ],
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/upsert.ts')).upsertRecords(words, io),
  },
  {
    path: 'record query',
    summary: 'Find the records most similar to a text, a vector or a record',
    arguments: 'INDEX',
    usages: ['INDEX --text TEXT [OPTIONS]', 'INDEX --vector JSON [OPTIONS]', 'INDEX --id ID [OPTIONS]'],
    options: {
      text: { value: 'TEXT', about: 'Text, in an index of texts' },
      vector: {
        value: 'JSON',
        about: 'List of numbers, or {"indices": [], "values": []}; - reads it from a pipe',
      },
      id: { value: 'ID', about: 'The record whose neighbors are searched' },
      ...TOP_K,
      ...FILTER,
      ...NAMESPACE,
      ...AS_OF,
      values: { about: 'With --json: print the vectors, too' },
    },
    examples: [
      'pinyon record query notes --text "who pays for the trains?"',
      `pinyon record query films --vector '[0.1, 0.2, 0.3]' -k 3 --filter '{"year": 1999}'`,
    ],
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/read.ts')).queryRecords(words, io),
  },
  {
    path: 'record fetch',
    summary: 'Print records by their ids',
    arguments: 'INDEX [ID]...',
    about:
      "Prints the records as lines of JSON that 'pinyon record upsert' reads. Ids that do not exist are left out. " +
      'Without an ID, reads ids from a pipe, one per line.',
    options: { ...NAMESPACE, ...AS_OF },
    examples: [
      'pinyon record list films | pinyon record fetch films > films.jsonl',
      'pinyon record fetch films a --as-of 2026-07-01T09:30:00Z | pinyon record upsert films',
    ],
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/read.ts')).fetchRecords(words, io),
  },
  {
    path: 'record list',
    summary: 'Print the ids of records',
    arguments: 'INDEX',
    options: LIST,
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/read.ts')).listRecords(words, io),
  },
  {
    path: 'record update',
    summary: 'Change values or metadata of a record',
    arguments: 'INDEX ID',
    options: {
      ...NAMESPACE,
      values: { value: 'JSON', about: 'New vector, in the forms that a query takes' },
      metadata: { value: 'JSON', about: 'Fields to set; others stay' },
    },
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/change.ts')).updateRecord(words, io),
  },
  {
    path: 'record delete',
    summary: 'Delete records by ids or a filter',
    arguments: 'INDEX [ID]...',
    about: 'Without an ID, --filter or --all, reads ids from a pipe, one per line.',
    options: DELETE,
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/change.ts')).deleteRecords(words, io),
  },
  {
    path: 'document upsert',
    summary: 'Store the documents of files or a pipe',
    arguments: 'INDEX [FILE]...',
    about:
      'Reads JSONL, JSON, CSV or Parquet, also compressed with gzip (.gz). A document is one JSON object with an _id; in ' +
      'CSV and Parquet, columns are fields. Without a FILE, reads from a pipe.',
    options: UPSERT,
    examples: ['pinyon document upsert recipes recipes.jsonl'],
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/upsert.ts')).upsertDocuments(words, io),
  },
  {
    path: 'document search',
    summary: 'Search documents by words and by meaning',
    arguments: 'INDEX QUERY',
    about:
      'Searches by words in all fields with full-text search and by meaning in all embedded fields, and fuses both ' +
      'rankings. With --by query, QUERY is in the query language of docs/documents.md.',
    options: {
      by: {
        value: 'WAY',
        choices: ['words', 'meaning', 'query'],
        about: 'words, meaning or query (default both first)',
      },
      fields: { value: 'NAMES', about: 'Only these fields, with commas between them' },
      show: { value: 'NAMES', about: 'Fields to print, with commas between them (default all)' },
      ...TOP_K,
      count: { about: 'Print how many documents match in all, too' },
      ...FILTER,
      ...NAMESPACE,
      ...AS_OF,
    },
    examples: [
      'pinyon document search recipes "apple pie"',
      `pinyon document search recipes --by query 'title:pie^2'`,
    ],
    partner: 'server',
    run: async (words, io) => (await import('../commands/documents.ts')).searchDocuments(words, io),
  },
  {
    path: 'document fetch',
    summary: 'Print documents by their ids',
    arguments: 'INDEX [ID]...',
    about:
      "Prints the documents as lines of JSON that 'pinyon document upsert' reads. Without an ID, reads ids from a pipe.",
    options: { ...NAMESPACE, ...AS_OF },
    partner: 'server',
    run: async (words, io) => (await import('../commands/documents.ts')).fetchDocuments(words, io),
  },
  {
    path: 'document list',
    summary: 'Print the ids of documents',
    arguments: 'INDEX',
    options: LIST,
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/read.ts')).listRecords(words, io),
  },
  {
    path: 'document delete',
    summary: 'Delete documents by ids or a filter',
    arguments: 'INDEX [ID]...',
    about: 'Without an ID, --filter or --all, reads ids from a pipe, one per line.',
    options: DELETE,
    partner: 'server',
    run: async (words, io) => (await import('../commands/records/change.ts')).deleteRecords(words, io),
  },
];
