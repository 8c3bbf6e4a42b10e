// Reads the rows of a Parquet file in batches, column by column, starting at any row.
import type { FileMetaData, RowGroup } from 'hyparquet';
import type { ColumnNames } from '../../domain/imports/column-names.ts';
import type { Row, RowNumbers, RowSparse } from '../../domain/imports/row.ts';
import { METADATA_TEXT_BYTES_MAX } from '../../domain/imports/row-record.ts';
import { METADATA_BYTES_MAX, RECORD_ID_CHARS_MAX, TEXT_VALUE_BYTES_MAX } from '../../domain/limits.ts';
import { type FileBytes, FileProblem } from '../file-bytes.ts';
import { ColumnCursor, type TextBounds } from './column-cursor.ts';
import { findColumns, type Leaf, leafKey, type RecordColumns } from './columns.ts';
import { readFooter } from './footer.ts';
import { chunkOf } from './page-stream.ts';

/**
 * Bound on the unpacked size of a file, as a multiple of its size beyond a free allowance: text compresses at most a
 * hundredfold, bombs a thousandfold and more.
 */
const UNPACKED_RATIO_MAX = 100;
const UNPACKED_BYTES_FREE = 256 * 1024 * 1024;

/** No valid id is this long. */
const ID_BOUNDS: TextBounds = { keepBytesMax: 4 * RECORD_ID_CHARS_MAX, bytesMax: Number.POSITIVE_INFINITY };

export interface ParquetOptions {
  readonly batchRows: number;
  /** How many dense values of a row are kept; the rules of records refuse longer ones anyway. */
  readonly valuesMax: number;
  readonly sparseEntriesMax: number;
  /** Bound on the metadata and texts in a batch; long ones make batches of fewer rows. */
  readonly metadataBytes: number;
}

export interface RowBatch {
  readonly rows: readonly Row[];
  /** The number of the first row in the file, from 0. */
  readonly firstRow: number;
}

export class ParquetFile {
  /** According to the footer. */
  readonly rowCount: number;
  readonly #file: FileBytes;
  readonly #metadata: FileMetaData;
  readonly #columns: RecordColumns;

  private constructor(file: FileBytes, metadata: FileMetaData, names: ColumnNames) {
    this.#file = file;
    this.#metadata = metadata;
    this.#columns = findColumns(metadata, names);
    this.rowCount = metadata.row_groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
  }

  /** Reads the footer. @throws FileProblem */
  static async open(file: FileBytes, names: ColumnNames): Promise<ParquetFile> {
    const metadata = await readFooter(file);
    const opened = new ParquetFile(file, metadata, names);
    opened.#checkSizes();
    return opened;
  }

  /** The rows starting at number `after`. @throws FileProblem */
  async *rows(after: number, options: ParquetOptions): AsyncGenerator<RowBatch> {
    let firstRow = 0;
    for (const group of this.#metadata.row_groups) {
      const count = Number(group.num_rows);
      // Row groups before this position are never read.
      if (firstRow + count > after) {
        const skip = Math.max(0, after - firstRow);
        yield* this.#groupRows(group, { firstRow, skip, ...options });
      }
      firstRow += count;
    }
  }

  async *#groupRows(
    group: RowGroup,
    {
      firstRow,
      skip,
      batchRows,
      ...bounds
    }: ParquetOptions & { readonly firstRow: number; readonly skip: number },
  ): AsyncGenerator<RowBatch> {
    const cursors = await this.#cursors(group);
    const count = Number(group.num_rows);
    for (let at = 0; at < count; ) {
      const rowsMax = Math.min(batchRows, count - at, at < skip ? skip - at : count);
      const rows = await readBatch(cursors, rowsMax, bounds);
      if (at >= skip) yield { rows, firstRow: firstRow + at };
      at += rows.length;
    }
  }

  async #cursors(group: RowGroup): Promise<Cursors> {
    const open = async (leaf: Leaf | null | undefined) => {
      if (leaf === null || leaf === undefined) return null;
      const column = group.columns.find(
        ({ meta_data: each }) => leafKey(each?.path_in_schema ?? []) === leaf.key,
      );
      if (column?.meta_data === undefined || column.file_path) {
        throw new FileProblem(`the column '${leaf.path}' is missing in a row group`);
      }
      return ColumnCursor.open(this.#file, column.meta_data, leaf);
    };
    const { id, values, sparse, metadata, fields, texts } = this.#columns;
    const struct: FieldColumn[] = [];
    for (const [name, leaf] of fields) struct.push({ name, leaf, cursor: await open(leaf) });
    const opened: TextColumn[] = [];
    for (const [name, leaf] of texts) opened.push(new TextColumn(name, await open(leaf)));
    return {
      texts: opened,
      id: await open(id),
      values: await open(values),
      indices: await open(sparse?.indices),
      weights: await open(sparse?.values),
      metadata: new TextColumn('', await open(metadata)),
      fields: struct,
    };
  }

  #checkSizes(): void {
    const { size } = this.#file;
    let unpacked = 0;
    for (const { columns, num_rows: rows } of this.#metadata.row_groups) {
      if (!(Number(rows) >= 0 && Number.isSafeInteger(Number(rows)))) {
        throw new FileProblem(`a row group has ${rows} rows`);
      }
      for (const { meta_data: column } of columns) {
        if (column !== undefined) unpacked += chunkOf(column, this.#file).unpackedBytes;
      }
    }
    if (!(unpacked <= size * UNPACKED_RATIO_MAX + UNPACKED_BYTES_FREE)) {
      throw new FileProblem(
        `it would unpack to ${unpacked} bytes, over ${UNPACKED_RATIO_MAX} times its own size: refused`,
      );
    }
    if (this.rowCount > size * UNPACKED_RATIO_MAX) {
      throw new FileProblem(`it has ${this.rowCount} rows in ${size} bytes: refused`);
    }
  }
}

interface Cursors {
  readonly id: ColumnCursor | null;
  readonly values: ColumnCursor | null;
  readonly indices: ColumnCursor | null;
  readonly weights: ColumnCursor | null;
  readonly metadata: TextColumn;
  /** Of metadata that is a struct. */
  readonly fields: readonly FieldColumn[];
  readonly texts: readonly TextColumn[];
}

interface FieldColumn {
  readonly name: string;
  readonly leaf: Leaf;
  readonly cursor: ColumnCursor | null;
}

/** A column of texts, which may be long: it keeps what it has read while other columns have fewer rows ready. */
class TextColumn {
  readonly name: string;
  readonly #cursor: ColumnCursor | null;
  #held: (string | null)[] = [];

  constructor(name: string, cursor: ColumnCursor | null) {
    this.name = name;
    this.#cursor = cursor;
  }

  /** Reads ahead, and returns how many of the next `rows` rows are there: fewer if their texts are long. */
  async fill(rows: number, bounds: TextBounds): Promise<number> {
    if (this.#cursor === null) return rows;
    if (this.#held.length < rows)
      this.#held.push(...(await this.#cursor.texts(rows - this.#held.length, bounds)));
    return Math.min(rows, this.#held.length);
  }

  /** The next rows, which `fill` has read. */
  take(rows: number): readonly (string | null)[] {
    return this.#held.splice(0, rows);
  }
}

/** The next rows: fewer if their metadata or texts are long. */
async function readBatch(
  cursors: Cursors,
  rowsMax: number,
  bounds: Omit<ParquetOptions, 'batchRows'>,
): Promise<readonly Row[]> {
  // In sequence, so that only one page of each column is in memory, whatever the file's size.
  const bytesMax = Math.ceil(bounds.metadataBytes / (1 + cursors.texts.length));
  let count = await cursors.metadata.fill(rowsMax, { keepBytesMax: METADATA_TEXT_BYTES_MAX + 1, bytesMax });
  for (const column of cursors.texts)
    count = Math.min(count, await column.fill(count, { keepBytesMax: TEXT_VALUE_BYTES_MAX + 1, bytesMax }));
  const metadata = cursors.metadata.take(count);
  const texts = cursors.texts.map((column) => ({ name: column.name, rows: column.take(count) }));
  const structs = await structTexts(cursors.fields, count);
  const ids = await cursors.id?.texts(count, ID_BOUNDS);
  const values = await cursors.values?.lists(count, bounds.valuesMax);
  const indices = await cursors.indices?.lists(count, bounds.sparseEntriesMax);
  const weights = await cursors.weights?.lists(count, bounds.sparseEntriesMax);
  return Array.from({ length: count }, (_, row) => ({
    id: ids?.[row] ?? null,
    values: values?.[row] ?? null,
    sparse: sparseRow(indices?.[row], weights?.[row]),
    texts: texts.flatMap(({ name, rows }) => {
      const text = rows[row] ?? null;
      return text === null ? [] : [[name, text] as const];
    }),
    metadata: metadata[row] ?? structs?.[row] ?? null,
  }));
}

/** The struct of each row as JSON; null where there are no fields. Absent values are left out. */
async function structTexts(fields: readonly FieldColumn[], count: number): Promise<readonly string[] | null> {
  if (fields.length === 0) return null;
  const rows = Array.from({ length: count }, (): [string, unknown][] => []);
  for (const { name, leaf, cursor } of fields) {
    const values = await fieldValues(leaf, cursor, count);
    for (const [row, value] of values.entries()) if (value !== null) rows[row]?.push([name, value]);
  }
  return rows.map((entries) => JSON.stringify(Object.fromEntries(entries)));
}

async function fieldValues(
  leaf: Leaf,
  cursor: ColumnCursor | null,
  count: number,
): Promise<readonly unknown[]> {
  if (cursor === null) return [];
  if (leaf.repetitionMax === 1) return await cursor.textLists(count, METADATA_BYTES_MAX);
  if (leaf.type !== 'BYTE_ARRAY') {
    const values = await cursor.scalars(count);
    return (leaf.isUnsigned ? values.map(unsigned) : values).map(plainNumber);
  }
  const bounds = { keepBytesMax: METADATA_BYTES_MAX + 1, bytesMax: Number.POSITIVE_INFINITY };
  return await cursor.texts(count, bounds);
}

function unsigned(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt.asUintN(64, value);
  return typeof value === 'number' ? value >>> 0 : value;
}

/** Whole numbers that JSON numbers do not hold become texts; what is no number is left out. */
function plainNumber(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

function sparseRow(indices: RowNumbers | null = null, values: RowNumbers | null = null): RowSparse | null {
  return indices === null && values === null ? null : { indices, values };
}
