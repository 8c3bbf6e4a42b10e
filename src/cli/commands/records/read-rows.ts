// Reads records from files and pipes, row by row: lines of JSON, a JSON list, CSV or Parquet.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DOCUMENT_METADATA_COLUMN, METADATA_COLUMN } from '../../../domain/imports/column-names.ts';
import { twice } from '../../../domain/imports/renamed-columns.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { readLines } from '../../../file-formats/jsonl/read-lines.ts';
import { CliProblem, type Io, misuse } from '../../command.ts';
import { type CsvForm, csvRows } from './csv-rows.ts';
import { renamed } from './field-names.ts';
import { textsOf } from './texts-of.ts';

export const ROW_FORMATS = ['jsonl', 'json', 'csv', 'parquet'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** The maximum size of a request. */
const LINE_BYTES_MAX = 2 * 1024 * 1024;
/** Standard input, as a file name. */
const PIPE = '-';
const PIPE_NAME = 'standard input';
/** Their members are fields by themselves, unless they are texts of the index. */
const METADATA_FIELDS: ReadonlySet<string> = new Set([METADATA_COLUMN, DOCUMENT_METADATA_COLUMN]);

export interface RowSource {
  readonly name: string;
  readonly format: RowFormat;
  /** In bytes; null for a pipe. */
  readonly size: number | null;
  /** @param onBytes called with the bytes read so far @throws CliProblem that names the file and the row */
  readonly rows: (onBytes: (bytes: number) => void) => AsyncIterable<JsonObject>;
}

export interface RowForm extends CsvForm {
  /** Undefined to take it from the endings of files. */
  readonly format: string | undefined;
}

/** The files, or what is piped in. @throws CliProblem if there is nothing to read, or a format is unknown */
export async function rowSources(
  files: readonly string[],
  form: RowForm,
  io: Io,
): Promise<readonly RowSource[]> {
  const paths = files.length > 0 ? files : [PIPE];
  return Promise.all(paths.map((path) => (path === PIPE ? pipeSource(form, io) : fileSource(path, form))));
}

async function fileSource(name: string, { format, ...form }: RowForm): Promise<RowSource> {
  const found = await stat(name);
  if (found.isDirectory()) throw misuse(`${name} is a folder; name its files.`);
  const known = knownFormat(format ?? name.replace(/\.gz$/, '').replace(/^.*\./, ''), name);
  return {
    name,
    format: known,
    size: found.size,
    rows: (onBytes) => rowsOf({ name, format: known, form, bytes: fileBytes(name, onBytes) }),
  };
}

/** Unpacked; the bytes that are counted are those of the file. */
async function* fileBytes(name: string, onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
  const bytes = counted(createReadStream(name), onBytes);
  if (!name.endsWith('.gz')) {
    yield* bytes;
    return;
  }
  const unpacked = createGunzip();
  // An error of the file ends the unpacking, whose reader then sees it.
  pipeline(bytes, unpacked, () => undefined);
  yield* unpacked;
}

async function pipeSource({ format, ...form }: RowForm, { input }: Io): Promise<RowSource> {
  if (input === null) throw misuse('Name a file, or pipe records in.');
  const name = PIPE_NAME;
  const known = knownFormat(format ?? 'jsonl', name);
  return {
    name,
    format: known,
    size: null,
    rows: (onBytes) => rowsOf({ name, format: known, form, bytes: counted(input, onBytes) }),
  };
}

async function* counted(bytes: AsyncIterable<Uint8Array>, onBytes: (count: number) => void) {
  let count = 0;
  for await (const piece of bytes) {
    count += piece.byteLength;
    onBytes(count);
    yield piece;
  }
}

function knownFormat(word: string, name: string): RowFormat {
  const found = ROW_FORMATS.find((each) => each === (word === 'ndjson' ? 'jsonl' : word));
  if (found === undefined)
    throw misuse(`The ending of ${name} tells no format; pass --format ${ROW_FORMATS.join('|')}.`);
  return found;
}

interface Opened {
  readonly name: string;
  readonly format: RowFormat;
  readonly form: CsvForm;
  readonly bytes: AsyncIterable<Uint8Array>;
}

async function* rowsOf({ name, format, form, bytes }: Opened): AsyncGenerator<JsonObject> {
  const readers = { jsonl: fromLines, json: fromList, csv: csvRows, parquet: fromParquet };
  const metadata = METADATA_FIELDS.difference(new Set(form.textFields));
  let row = 0;
  try {
    for await (const each of readers[format](bytes, form)) {
      if (!isJsonObject(each)) throw new Error('expected a JSON object');
      const fields = format === 'csv' ? each : renamed(each, form.names);
      const flat = format === 'parquet' ? withoutStructs(withParsed(fields, metadata), metadata) : fields;
      row++;
      yield flat;
    }
  } catch (error) {
    if (error instanceof CliProblem) throw error;
    throw new CliProblem(
      `${name} cannot be read near row ${row + 1}: ${messageOf(error)}.`,
      undefined,
      error,
    );
  }
}

async function* fromLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  for await (const line of readLines(bytes, 0, LINE_BYTES_MAX)) {
    if (line.text === null) throw new Error(`the line is ${line.problem}`);
    if (line.text.trim() !== '') yield JSON.parse(line.text);
  }
}

async function* fromList(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const json: unknown = JSON.parse((await Array.fromAsync(textsOf(bytes))).join(''));
  if (Array.isArray(json)) yield* json;
  else yield json;
}

async function* fromParquet(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const { parquetReadObjects, parquetMetadataAsync, parquetSchema } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const { PARSERS, plainRow, readingOptions, Unreadable } = await import(
    '../../../file-formats/parquet/plain-rows.ts'
  );
  const buffer = await whole(bytes);
  const file = buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) as ArrayBuffer;
  const metadata = await parquetMetadataAsync(file);
  const schema = parquetSchema(metadata);
  const options = { file, compressors, parsers: PARSERS, ...readingOptions(metadata) };
  let rowStart = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(rows);
    for (const values of await parquetReadObjects({ ...options, rowStart, rowEnd })) {
      const row = plainRow(values, schema, (date) => date.toJSON());
      for (const value of Object.values(row)) if (value instanceof Unreadable) throw new Error(value.problem);
      yield row;
    }
    rowStart = rowEnd;
  }
}

/**
 * Metadata is flat: the members of a struct become fields with dotted names; sparse vectors stay what they are.
 * @throws Error where two get one name
 */
function withoutStructs(row: JsonObject, metadata: ReadonlySet<string>): JsonObject {
  const flat = (name: string, value: unknown): readonly (readonly [string, unknown])[] => {
    if (!isJsonObject(value) || isSparse(value)) return [[name, value]];
    return Object.entries(value).flatMap(([inner, each]) => flat(`${name}.${inner}`, each));
  };
  const fields = Object.entries(row).flatMap(([name, value]) =>
    metadata.has(name)
      ? [[name, isJsonObject(value) ? withoutStructs(value, metadata) : value] as const]
      : flat(name, value),
  );
  const names = new Set<string>();
  for (const [name] of fields) {
    if (names.has(name)) throw twice(name);
    names.add(name);
  }
  return Object.fromEntries(fields);
}

function isSparse({ indices, values }: JsonObject): boolean {
  return Array.isArray(indices) && Array.isArray(values);
}

/** Metadata is JSON text in a column of its own. */
function withParsed(fields: JsonObject, metadata: ReadonlySet<string>): JsonObject {
  const parsed = ([name, value]: readonly [string, unknown]) =>
    [name, metadata.has(name) && typeof value === 'string' ? JSON.parse(value) : value] as const;
  return Object.fromEntries(Object.entries(fields).map(parsed));
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes));
}

/**
 * The text of a file, or of what is piped in, without a byte order mark.
 * @throws CliProblem where it is not UTF-8, or nothing is piped in; Error of the file system
 */
export async function readWhole(path: string, io: Io): Promise<string> {
  if (path === PIPE && io.input === null) throw misuse('Nothing is piped in.');
  const bytes = path === PIPE && io.input !== null ? await whole(io.input) : await readFile(path);
  try {
    return (await Array.fromAsync(textsOf([bytes]))).join('');
  } catch (error) {
    const [name, reason] = [path === PIPE ? PIPE_NAME : path, messageOf(error)];
    throw new CliProblem(`${name} cannot be read: ${reason}.`, undefined, error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
