// pinyon import: imports files into new namespaces of an index.

import { createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isJsonObject, type JsonObject, membersOf } from '../../domain/json.ts';
import { readLines } from '../../file-formats/jsonl/read-lines.ts';
import { ApiClient } from '../client/api-client.ts';
import { fileContent } from '../client/file-content.ts';
import { CliProblem, EXIT_DONE, EXIT_FAILED, type Io, misuse, type ParsedWords } from '../command.ts';
import { naming } from '../files/write-files.ts';
import { choice } from '../line/parse-words.ts';
import { problemOf } from '../line/problem-of.ts';
import { print } from '../terminal/print.ts';
import { counted, endedOtherwise, watch } from '../terminal/watch.ts';
import { readFieldNames } from './records/field-names.ts';

/** An error is a line of a file name, an id and a sentence. */
const ERROR_BYTES_MAX = 1024 * 1024;
/** Files that are named when they were not read whole. */
const FILES_NAMED_MAX = 20;

export async function importFiles(words: ParsedWords, io: Io): Promise<number> {
  const [name = '', source = ''] = words.positionals;
  const index = await (await ApiClient.of(words, io)).ofIndex(name);
  const file = words.text('errors');
  // Written at once, so that a failure does not show only after hours.
  if (file !== undefined) await writeFile(file, '');
  const begun = await (source.includes('://')
    ? startImport(index, source, words)
    : upload(index, source, words));
  const id = String(begun.id);
  if (words.flag('no-wait')) {
    print(words, io, { json: begun, text: `Import ${id} into index ${name} has started.` });
    return EXIT_DONE;
  }
  const json = await watchTransfer(
    index,
    { what: 'Import', path: `/bulk/imports/${id}`, counted: 'recordsImported' },
    io,
  );
  const unwritten = file === undefined ? null : await writeErrors(index, id, file);
  const text = `Import ${id} added ${counted(json.recordsImported, 'record')} to index ${name}.`;
  // The import has ended, whatever becomes of the file: its outcome comes first.
  const ended = json.status === 'Completed' ? null : endedOtherwise(`Import ${id}`, json);
  if (unwritten !== null) throw lacking(ended?.message ?? text, errorsOf(json), unwritten);
  if (ended !== null) throw ended;
  const unread = await unreadFiles(index, id, json);
  print(words, io, { json, text: `${text}${leftOut(json, unread.length, file)}` });
  return tellUnread(unread, io);
}

/** @returns why the errors are not in the file as a whole; null where they are */
async function writeErrors(index: ApiClient, id: string, file: string): Promise<CliProblem | null> {
  try {
    const errors = await index.download(`/bulk/imports/${id}/errors`);
    await naming(file, pipeline(errors, createWriteStream(file)));
    return null;
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    return problem;
  }
}

/** @param outcome a sentence on the import itself */
function lacking(outcome: string, errors: number, { message, exitCode, cause }: CliProblem): CliProblem {
  const what = errors === 0 ? 'Whether it has errors' : `What is wrong with ${counted(errors, 'row')}`;
  return new CliProblem(`${outcome} ${what} could not be written: ${message}`, exitCode, cause);
}

function startImport(index: ApiClient, uri: string, words: ParsedWords): Promise<JsonObject> {
  if (words.text('namespace') !== undefined)
    throw misuse(
      '--namespace is for a file of this machine; at a URI, folders have the names of namespaces.',
    );
  const names = words.text('columns');
  const columns = Object.fromEntries([...readFieldNames(names)].map(([column, field]) => [field, column]));
  const body = { uri, errorMode: { onError: onErrorOf(words) }, ...(names !== undefined && { columns }) };
  return index.call('POST', '/bulk/imports', { body, isOnce: true });
}

/** Sends a file of this machine. */
async function upload(index: ApiClient, path: string, words: ParsedWords): Promise<JsonObject> {
  // Also checks that it is there, and the pairs, before anything is sent.
  if (!(await stat(path)).isFile()) throw misuse(`${path} is not a file.`);
  if (/\.csv(\.gz)?$/i.test(path))
    throw misuse("Imports read Parquet and JSON lines; 'pinyon record upsert' reads CSV, too.");
  const columns = words.text('columns');
  readFieldNames(columns);
  const query = new URLSearchParams({
    namespace: words.text('namespace') ?? '',
    onError: onErrorOf(words),
    ...(columns !== undefined && { columns }),
  });
  return index.call('POST', `/bulk/imports/upload?${query}`, {
    content: await fileContent(path),
    isOnce: true,
  });
}

function onErrorOf(words: ParsedWords): string {
  return choice(words, 'on-error', ['continue', 'abort']);
}

/** Reports skipped rows, so that nobody takes the import for complete. */
function leftOut(json: JsonObject, unread: number, file: string | undefined): string {
  const rows = errorsOf(json) - unread;
  if (rows <= 0) return '';
  return ` It skipped ${counted(rows, 'invalid row')}; ${file === undefined ? '--errors FILE writes' : `${file} has`} the reasons.`;
}

function errorsOf({ validationResult }: JsonObject): number {
  const { importErrors } = membersOf(validationResult);
  return typeof importErrors === 'number' ? importErrors : 0;
}

/** The errors without a row: of files, or of the rest of them. Earlier releases count them with those of rows. */
async function unreadFiles(index: ApiClient, id: string, json: JsonObject): Promise<readonly JsonObject[]> {
  const { filesUnread } = membersOf(json.validationResult);
  if (errorsOf(json) === 0 || filesUnread === 0) return [];
  const unread: JsonObject[] = [];
  for await (const { text } of readLines(
    await index.download(`/bulk/imports/${id}/errors`),
    0,
    ERROR_BYTES_MAX,
  )) {
    const error: unknown = text === null || text.trim() === '' ? null : JSON.parse(text);
    if (isJsonObject(error) && error.row === null) unread.push(error);
  }
  return unread;
}

/** Names the files that were not read, or not to their ends. @returns the exit code */
function tellUnread(unread: readonly JsonObject[], io: Io): number {
  if (unread.length === 0) return EXIT_DONE;
  for (const { file, reason } of unread.slice(0, FILES_NAMED_MAX)) io.err(`File ${file}: ${reason}\n`);
  const others = unread.length - FILES_NAMED_MAX;
  if (others > 0) io.err(`${counted(others, 'other file')}: --errors FILE writes the reasons.\n`);
  io.err(
    `The rest of ${counted(unread.length, 'file')} was not imported; what was read before is in the index.\n`,
  );
  return EXIT_FAILED;
}

/** The first version in which imports report how many rows they skipped. */
const VERSION = '2026-07';

interface Transfer {
  readonly what: string;
  readonly path: string;
  /** The field with the number of records so far. */
  readonly counted: string;
}

/** Waits for the end of an import or export. */
export function watchTransfer(
  index: ApiClient,
  { what, path, counted: field }: Transfer,
  io: Io,
): Promise<JsonObject> {
  return watch(
    {
      what,
      look: () => index.call('GET', path, { version: VERSION }),
      percentOf: ({ percentComplete }) => Number(percentComplete ?? 0),
      detailOf: (state) => `${state.status}, ${counted(state[field], 'record')}`,
      hasEnded: ({ status }) => ['Completed', 'Failed', 'Cancelled'].includes(String(status)),
    },
    io,
  );
}
