// Reads the records of one file of any format in batches, from any position on.

import { hasEmbeddings } from '../domain/document-schema.ts';
import { Fault, invalid } from '../domain/faults.ts';
import { allIds, columnNames, type RecordKind } from '../domain/imports/column-names.ts';
import { documentOfLine, type FileDocument, type TextsToEmbed } from '../domain/imports/document-line.ts';
import { documentOfRow } from '../domain/imports/document-row.ts';
import { fieldNamesOf, type ImportColumns } from '../domain/imports/import-columns.ts';
import type { RecordFormat } from '../domain/imports/record-format.ts';
import type { Row } from '../domain/imports/row.ts';
import { idOfLine, recordOfLine, recordOfRow } from '../domain/imports/row-record.ts';
import { textOfLine, textOfRow } from '../domain/imports/text-row.ts';
import {
  DIMENSION_MAX,
  DOCUMENT_BYTES_MAX,
  DOCUMENTS_EMBEDDED_MAX,
  SPARSE_ENTRIES_MAX,
} from '../domain/limits.ts';
import type { StorableRecord } from '../domain/records/record.ts';
import type { RecordRules } from '../domain/records/vector-record.ts';
import { type FileBytes, FileProblem } from './file-bytes.ts';
import { FileWindows, GzipWindows } from './jsonl/byte-windows.ts';
import { type Line, readLines } from './jsonl/read-lines.ts';

/** Of a float or an entry of a sparse vector as JSON: a float has up to 15 characters and an index 10, each with a comma. */
const FLOAT_TEXT_BYTES = 16;
const SPARSE_ENTRY_TEXT_BYTES = 32;
/** Every record that can be stored fits, as exports write it. Its true size is for the rules of records to check. */
const LINE_BYTES_MAX =
  DOCUMENT_BYTES_MAX + FLOAT_TEXT_BYTES * DIMENSION_MAX + SPARSE_ENTRY_TEXT_BYTES * SPARSE_ENTRIES_MAX;
export const BATCH_ROWS_MAX = 1_000;
/** Bytes of the vectors in a batch. */
const BATCH_BYTES = 4 * 1024 * 1024;
/** Bytes of metadata or lines in a batch, well below what the engine accepts in one write. */
const BATCH_METADATA_BYTES = 8 * 1024 * 1024;
const BATCH_LINE_BYTES = 16 * 1024 * 1024;
/** Characters of an invalid id that an error quotes. */
const SHOWN_ID_CHARS_MAX = 100;

/** A position in a file: the rows before it and, for formats without row numbers, the byte offset. */
export interface FilePosition {
  readonly row: number;
  readonly byte: number;
}

export const FILE_START: FilePosition = { row: 0, byte: 0 };

export interface Refused {
  /** Row number from 1, as in editors. */
  readonly row: number;
  readonly id: string | null;
  readonly reason: string;
}

/** What the records of a file have to fit. */
export interface RecordShape extends RecordRules, RecordKind {
  /** Fields that have other names in the file; null or absent where it has those of records and no others. */
  readonly columns?: ImportColumns | null;
}

/** Texts of the record at the same position, and its row, from 1. */
export interface PendingTexts extends TextsToEmbed {
  readonly row: number;
}

export interface RecordBatch {
  readonly records: readonly StorableRecord[];
  /** Texts to embed, one entry for each record; empty where nothing is embedded. */
  readonly pending: readonly PendingTexts[];
  readonly refused: readonly Refused[];
  readonly next: FilePosition;
  /** Share of the file that has been read, 0 to 1. */
  readonly share: number;
}

interface From {
  readonly place: FilePosition;
  readonly shape: RecordShape;
  /** True when the whole file is compressed. */
  readonly isGzip?: boolean;
}

/** Reads from a position to the end. @throws FileProblem when the file is damaged or of another format */
export function readRecords(file: FileBytes, format: RecordFormat, from: From): AsyncIterable<RecordBatch> {
  return format === 'jsonl' ? readJsonl(file, from) : readParquet(file, from);
}

async function* readParquet(file: FileBytes, { place, shape }: From): AsyncGenerator<RecordBatch> {
  // Loaded with the first Parquet file.
  const { ParquetFile } = await import('./parquet/read-rows.ts');
  const names = { ...columnNames(shape), ...((shape.columns ?? null) !== null && { takesOthers: true }) };
  const parquet = await damagedOr(() => ParquetFile.open(file, names, fieldNamesOf(shape.columns)));
  const valuesMax = shape.dimension ?? 1;
  const bounds = {
    batchRows: batchRowsFor(shape),
    valuesMax,
    sparseEntriesMax: SPARSE_ENTRIES_MAX,
    metadataBytes: BATCH_METADATA_BYTES,
  };
  const batches = parquet.rows(place.row, bounds);
  for (;;) {
    const { done, value } = await damagedOr(() => batches.next());
    if (done === true) return;
    const { rows, firstRow } = value;
    const sorter = new Sorter();
    for (const [at, row] of rows.entries()) {
      sorter.add(
        firstRow + at,
        () => recordOf(row, shape),
        () => row.id,
      );
    }
    const next = firstRow + rows.length;
    yield { ...sorter.sorted(), next: { row: next, byte: 0 }, share: next / Math.max(1, parquet.rowCount) };
  }
}

/** Reports errors of the library as damage, since it fails in various ways on invalid bytes. @throws FileProblem */
async function damagedOr<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new FileProblem(`it is damaged: ${error.message}`, error);
  }
}

async function* readJsonl(
  file: FileBytes,
  { place, shape, isGzip = false }: From,
): AsyncGenerator<RecordBatch> {
  const windows = new (isGzip ? GzipWindows : FileWindows)(file, place.byte);
  const ids = idsIn(shape);
  const batchRows = batchRowsFor(shape);
  let sorter = new Sorter();
  let { row, byte } = place;
  let held = 0;
  let start = byte;
  const batch = () => ({ ...sorter.sorted(), next: { row, byte }, share: windows.share });
  try {
    for await (const line of readLines(windows, byte, LINE_BYTES_MAX)) {
      const { text, end } = line;
      if (text === null || text.trim() !== '') {
        sorter.add(
          row,
          () => recordOfText(line, shape),
          () => (text === null ? null : idOfLine(text, ids)),
        );
      }
      row++;
      byte = end;
      held++;
      if (held < batchRows && byte - start < BATCH_LINE_BYTES) continue;
      yield batch();
      sorter = new Sorter();
      held = 0;
      start = byte;
    }
  } catch (error) {
    // What was read before the damage stays.
    if (error instanceof FileProblem && held > 0) yield batch();
    throw error;
  }
  if (held > 0) yield batch();
}

function recordOf(row: Row, shape: RecordShape): FileDocument {
  if (row.notText !== null) throw invalid(`The text of column '${row.notText}' is not valid UTF-8`);
  const { documents = null, textField = null } = shape;
  if (textField !== null) return textOfRow(row, { ...shape, textField, names: fieldNamesOf(shape.columns) });
  return documents === null ? withoutTexts(recordOfRow(row, shape)) : documentOfRow(row, documents, shape);
}

function recordOfText(line: Line, shape: RecordShape): FileDocument {
  if (line.text === null) throw invalid(`The line is ${line.problem}`);
  const { text } = line;
  const { documents = null, textField = null, columns = null } = shape;
  const names = fieldNamesOf(columns);
  if (textField !== null) return textOfLine(text, { ...shape, textField, names });
  if (documents !== null) return documentOfLine(text, documents, { ...shape, names });
  return withoutTexts(recordOfLine(text, shape, columns === null ? null : names));
}

/** The names in the files that the id may have. */
function idsIn(shape: RecordShape): readonly string[] {
  return allIds(columnNames(shape)).map((name) => shape.columns?.[name] ?? name);
}

function withoutTexts(record: StorableRecord): FileDocument {
  return { record, texts: null };
}

function batchRowsFor({ dimension, documents = null, textField = null }: RecordShape): number {
  // As many as an upsert brings to the models at once.
  const isEmbedded = textField !== null || (documents !== null && hasEmbeddings(documents));
  if (isEmbedded) return DOCUMENTS_EMBEDDED_MAX;
  const rowBytes = Math.min(dimension ?? SPARSE_ENTRIES_MAX, DIMENSION_MAX) * Float32Array.BYTES_PER_ELEMENT;
  return Math.max(1, Math.min(BATCH_ROWS_MAX, Math.floor(BATCH_BYTES / rowBytes)));
}

/** Separates valid records from refused rows. */
class Sorter {
  readonly #records: StorableRecord[] = [];
  readonly #pending: PendingTexts[] = [];
  readonly #refused: Refused[] = [];

  /** Adds a row; `idOf` is called only when the row is refused. */
  add(row: number, read: () => FileDocument, idOf: () => string | null): void {
    try {
      const { record, texts } = read();
      this.#records.push(record);
      if (texts !== null) this.#pending.push({ ...texts, row: row + 1 });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#refused.push({
        row: row + 1,
        id: idOf()?.slice(0, SHOWN_ID_CHARS_MAX) ?? null,
        reason: error.message,
      });
    }
  }

  sorted(): Pick<RecordBatch, 'records' | 'pending' | 'refused'> {
    return { records: this.#records, pending: this.#pending, refused: this.#refused };
  }
}
