// Reads the rows of a file that a person chose: JSON lines, comma-separated values or Parquet, piece by piece.
import type { Compressors, FileMetaData } from 'hyparquet';
import { PARSERS, plainRow, readingOptions } from '../../../../src/file-formats/parquet/plain-rows.ts';
import { CsvReader } from './csv.ts';

export interface Row {
  /** From 1, as people count the rows of a file. */
  readonly number: number;
  /** By column; `Unreadable` where one cannot be read. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why the whole row cannot be read. */
  readonly problem?: string;
}

export interface RowBatch {
  readonly rows: readonly Row[];
  /** Bytes of the file up to here, for the progress. */
  readonly bytes: number;
}

export type Format = 'jsonl' | 'csv' | 'parquet';

const PARQUET_ROWS = 500;
const MS_PER_SECOND = 1_000;
/** A line of JSON may be as long as a record; far more is no JSON lines. */
const LINE_CHARS_MAX = 4_000_000;

/** The format that the name of a file says; undefined for others. */
export function formatOf(name: string): Format | undefined {
  const lower = name.toLowerCase();
  if (/\.(jsonl|ndjson)$/.test(lower)) return 'jsonl';
  if (/\.(csv|tsv)$/.test(lower)) return 'csv';
  return lower.endsWith('.parquet') ? 'parquet' : undefined;
}

/** @throws Error for a file that is damaged as a whole */
export function readRows(file: File, format: Format): AsyncGenerator<RowBatch> {
  if (format === 'parquet') return readParquet(file);
  return format === 'csv' ? readCsv(file) : readLines(file);
}

async function* pieces(file: File): AsyncGenerator<{ readonly text: string; readonly bytes: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = file.stream().getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    yield { text: decoder.decode(value, { stream: true }), bytes };
  }
  yield { text: decoder.decode(), bytes };
}

async function* readLines(file: File): AsyncGenerator<RowBatch> {
  let rest = '';
  let number = 0;
  const rowOf = (line: string): readonly Row[] => {
    number++;
    return line.trim() === '' ? [] : [parsedRow(number, line)];
  };
  for await (const { text, bytes } of pieces(file)) {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX) throw new Error(`line ${number + lines.length + 1} does not end`);
    yield { rows: lines.flatMap(rowOf), bytes };
  }
  if (rest !== '') yield { rows: rowOf(rest), bytes: file.size };
}

function parsedRow(number: number, line: string): Row {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { number, values: { ...value } };
    }
    return { number, values: {}, problem: 'The line is no JSON object' };
  } catch (error) {
    return { number, values: {}, problem: error instanceof Error ? error.message : 'The line is no JSON' };
  }
}

async function* readCsv(file: File): AsyncGenerator<RowBatch> {
  const reader = new CsvReader();
  let header: readonly string[] | null = null;
  let number = 0;
  const rowsOf = (lines: readonly (readonly string[])[]): Row[] => {
    const rows: Row[] = [];
    for (const cells of lines) {
      if (header === null) {
        header = headerOf(cells);
        continue;
      }
      number++;
      rows.push(cellsRow(number, header, cells));
    }
    return rows;
  };
  for await (const { text, bytes } of pieces(file)) yield { rows: rowsOf(reader.push(text)), bytes };
  yield { rows: rowsOf(reader.finish()), bytes: file.size };
}

function headerOf(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) => cell.replace(/^\ufeff/, '').trim());
  const repeated = names.find((name, at) => name !== '' && names.indexOf(name) !== at);
  if (repeated !== undefined) throw new Error(`two columns are named '${repeated}'`);
  return names;
}

/** Empty cells are absent values; spreadsheets end rows with those of columns without names. */
function cellsRow(number: number, header: readonly string[], cells: readonly string[]): Row {
  if (cells.length > header.length) {
    return { number, values: {}, problem: `The row has ${cells.length} cells, the header ${header.length}` };
  }
  const values = header.flatMap((name, at) => {
    const cell = cells[at] ?? '';
    return cell === '' ? [] : [[name, cell] as const];
  });
  const hasUnnamed = values.some(([name]) => name === '');
  if (hasUnnamed && header.indexOf('') !== header.lastIndexOf(''))
    return { number, values: {}, problem: 'A cell is in one of several columns without names' };
  return { number, values: Object.fromEntries(values) };
}

async function* readParquet(file: File): AsyncGenerator<RowBatch> {
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const buffer = {
    byteLength: file.size,
    slice: (start: number, end?: number) => file.slice(start, end).arrayBuffer(),
  };
  const metadata = await parquetMetadataAsync(buffer);
  const schema = parquetSchema(metadata);
  const compressors = await compressorsOf(metadata);
  const options = { file: buffer, compressors, parsers: PARSERS, ...readingOptions(metadata) };
  const total = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < total; rowStart += PARQUET_ROWS) {
    const rowEnd = Math.min(total, rowStart + PARQUET_ROWS);
    const objects = await parquetReadObjects({ ...options, rowStart, rowEnd });
    yield {
      rows: objects.map((row, at) => ({
        number: rowStart + at + 1,
        values: plainRow(row, schema, (date) => date.getTime() / MS_PER_SECOND),
      })),
      bytes: Math.round((file.size * rowEnd) / total),
    };
  }
}

/** How to read the compressed pages of a file; loaded for those that have any which the reader itself does not know. */
async function compressorsOf({ row_groups: groups }: FileMetaData): Promise<Compressors> {
  const isKnown = ({ meta_data: column }: FileMetaData['row_groups'][number]['columns'][number]) =>
    column === undefined || column.codec === 'UNCOMPRESSED' || column.codec === 'SNAPPY';
  if (groups.every(({ columns }) => columns.every(isKnown))) return {};
  return (await import('./parquet-codecs.ts')).PARQUET_CODECS;
}
