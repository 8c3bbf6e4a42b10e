// Reads the records of one file of any format in batches, from any position on.

import { Fault, invalid } from '../domain/faults.ts';
import type { RecordFormat } from '../domain/imports/record-format.ts';
import { idOfLine, recordOfLine, recordOfRow } from '../domain/imports/row-record.ts';
import { DIMENSION_MAX, SPARSE_ENTRIES_MAX } from '../domain/limits.ts';
import type { StorableRecord } from '../domain/records/record.ts';
import type { VectorShape } from '../domain/records/vector-record.ts';
import { type FileBytes, FileProblem } from './file-bytes.ts';
import { readLines } from './jsonl/read-lines.ts';

/** The maximum size of a request. */
const LINE_BYTES_MAX = 2 * 1024 * 1024;
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

export interface RecordBatch {
  readonly records: readonly StorableRecord[];
  readonly refused: readonly Refused[];
  readonly next: FilePosition;
  /** Share of the file that has been read, 0 to 1. */
  readonly share: number;
}

/** Reads from a position to the end. @throws FileProblem when the file is damaged or of another format */
export function readRecords(
  file: FileBytes,
  format: RecordFormat,
  from: { readonly place: FilePosition; readonly shape: VectorShape },
): AsyncIterable<RecordBatch> {
  return format === 'parquet' ? readParquet(file, from) : readJsonl(file, from);
}

interface From {
  readonly place: FilePosition;
  readonly shape: VectorShape;
}

async function* readParquet(file: FileBytes, { place, shape }: From): AsyncGenerator<RecordBatch> {
  // Loaded with the first Parquet file.
  const { ParquetFile } = await import('./parquet/read-rows.ts');
  const parquet = await damagedOr(() => ParquetFile.open(file));
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
        () => recordOfRow(row, shape),
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

async function* readJsonl(file: FileBytes, { place, shape }: From): AsyncGenerator<RecordBatch> {
  const batchRows = batchRowsFor(shape);
  let sorter = new Sorter();
  let { row, byte } = place;
  let held = 0;
  let start = byte;
  const batch = () => ({ ...sorter.sorted(), next: { row, byte }, share: byte / Math.max(1, file.size) });
  for await (const { text, end } of readLines(file, byte, LINE_BYTES_MAX)) {
    if (text === null || text.trim() !== '') {
      sorter.add(
        row,
        () => recordOfText(text, shape),
        () => (text === null ? null : idOfLine(text)),
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
  if (held > 0) yield batch();
}

function recordOfText(text: string | null, shape: VectorShape): StorableRecord {
  if (text === null) throw invalid(`The line is longer than ${LINE_BYTES_MAX} bytes`);
  return recordOfLine(text, shape);
}

function batchRowsFor({ dimension }: VectorShape): number {
  const rowBytes = Math.min(dimension ?? SPARSE_ENTRIES_MAX, DIMENSION_MAX) * Float32Array.BYTES_PER_ELEMENT;
  return Math.max(1, Math.min(BATCH_ROWS_MAX, Math.floor(BATCH_BYTES / rowBytes)));
}

/** Separates valid records from refused rows. */
class Sorter {
  readonly #records: StorableRecord[] = [];
  readonly #refused: Refused[] = [];

  /** Adds a row; `idOf` is called only when the row is refused. */
  add(row: number, read: () => StorableRecord, idOf: () => string | null): void {
    try {
      this.#records.push(read());
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#refused.push({
        row: row + 1,
        id: idOf()?.slice(0, SHOWN_ID_CHARS_MAX) ?? null,
        reason: error.message,
      });
    }
  }

  sorted(): { readonly records: readonly StorableRecord[]; readonly refused: readonly Refused[] } {
    return { records: this.#records, refused: this.#refused };
  }
}
