// Reads the rows of a Parquet file in batches, column by column, starting at any row.
import type { FileMetaData, RowGroup } from 'hyparquet';
import type { ColumnNames } from '../../domain/imports/column-names.ts';
import { METADATA_TEXT_BYTES_MAX } from '../../domain/imports/joined-metadata.ts';
import type { FieldNames } from '../../domain/imports/renamed-columns.ts';
import type { Row, RowNumbers, RowSparse } from '../../domain/imports/row.ts';
import { RECORD_ID_CHARS_MAX, TEXT_VALUE_BYTES_MAX } from '../../domain/limits.ts';
import { type FileBytes, FileProblem } from '../file-bytes.ts';
import { ColumnCursor, type TextBounds } from './column-cursor.ts';
import { findColumns, type Leaf, leafKey, type RecordColumns } from './columns.ts';
import { readFooter } from './footer.ts';
import { fieldColumn, type HeldColumn, textColumn } from './held-column.ts';
import { PageBudget } from './page-budget.ts';
import { chunkOf, windowBytesFor } from './page-stream.ts';
import { NotText } from './text-value.ts';
import { UNPACKED_RATIO_MAX, unpackedBytesMax } from './unpacked-bound.ts';

/** Id, dense values, sparse indices and values, metadata. */
const FIXED_COLUMNS_MAX = 5;
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

  private constructor(file: FileBytes, metadata: FileMetaData, columns: RecordColumns) {
    this.#file = file;
    this.#metadata = metadata;
    this.#columns = columns;
    this.rowCount = metadata.row_groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
  }

  /**
   * Reads the footer.
   * @param renamed fields of records whose columns have other names in the file
   * @throws FileProblem
   */
  static async open(file: FileBytes, names: ColumnNames, renamed: FieldNames): Promise<ParquetFile> {
    const metadata = await readFooter(file);
    const opened = new ParquetFile(file, metadata, findColumns(metadata, names, renamed));
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
    const { id, values, sparse, metadata, fields, texts } = this.#columns;
    const shared = {
      windowBytes: windowBytesFor(FIXED_COLUMNS_MAX + texts.size + fields.size),
      budget: new PageBudget(),
    };
    const open = async (leaf: Leaf) => {
      const column = group.columns.find(
        ({ meta_data: each }) => leafKey(each?.path_in_schema ?? []) === leaf.key,
      );
      if (column?.meta_data === undefined || column.file_path) {
        throw new FileProblem(`the column '${leaf.path}' is missing in a row group`);
      }
      return ColumnCursor.open(this.#file, column.meta_data, { leaf, ...shared });
    };
    const openAny = async (leaf: Leaf | null | undefined) => (leaf ? open(leaf) : null);
    const opened: HeldColumn<string | NotText | null>[] = [];
    for (const [name, leaf] of texts)
      opened.push(textColumn(name, await open(leaf), TEXT_VALUE_BYTES_MAX + 1));
    const ofFields: HeldColumn<unknown>[] = [];
    for (const [name, leaf] of fields) ofFields.push(fieldColumn(name, leaf, await open(leaf)));
    return {
      id: await openAny(id),
      values: await openAny(values),
      indices: await openAny(sparse?.indices),
      weights: await openAny(sparse?.values),
      metadata: textColumn('', await openAny(metadata), METADATA_TEXT_BYTES_MAX + 1),
      texts: opened,
      fields: ofFields,
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
    if (!(unpacked <= unpackedBytesMax(size))) {
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
  readonly metadata: HeldColumn<string | NotText | null>;
  readonly texts: readonly HeldColumn<string | NotText | null>[];
  /** Fields of metadata. */
  readonly fields: readonly HeldColumn<unknown>[];
}

/** The next rows: fewer if their metadata or texts are long. */
async function readBatch(
  { metadata, texts, fields, ...cursors }: Cursors,
  rowsMax: number,
  bounds: Omit<ParquetOptions, 'batchRows'>,
): Promise<readonly Row[]> {
  // In sequence, so that only one page of each column is in memory, whatever the file's size.
  const bytesMax = Math.ceil(bounds.metadataBytes / (1 + texts.length + fields.length));
  let count = rowsMax;
  for (const column of [metadata, ...texts, ...fields]) count = await column.fill(count, bytesMax);
  const notTexts = new Map<number, NotText>();
  const json = textsIn(metadata.take(count), notTexts);
  const textsOf = presentIn(texts, count, notTexts);
  const fieldsOf = presentIn<unknown>(fields, count, notTexts);
  const ids = textsIn((await cursors.id?.texts(count, ID_BOUNDS)) ?? [], notTexts);
  const values = await cursors.values?.lists(count, bounds.valuesMax);
  const indices = await cursors.indices?.lists(count, bounds.sparseEntriesMax);
  const weights = await cursors.weights?.lists(count, bounds.sparseEntriesMax);
  return Array.from({ length: count }, (_, row) => ({
    id: ids[row] ?? null,
    values: values?.[row] ?? null,
    sparse: sparseRow(indices?.[row], weights?.[row]),
    texts: textsOf[row] ?? [],
    metadata: json[row] ?? null,
    fields: fieldsOf[row] ?? [],
    notText: notTexts.get(row)?.column ?? null,
  }));
}

type Present<Value> = readonly (readonly [name: string, value: NonNullable<Value>])[];

/** The values, null for what is no text, which is noted by its row. */
function textsIn<Value>(
  values: readonly (Value | NotText)[],
  notTexts: Map<number, NotText>,
): readonly (Value | null)[] {
  return values.map((value, row) => {
    if (!(value instanceof NotText)) return value;
    notTexts.set(row, value);
    return null;
  });
}

/** What each of the next rows has in these columns. */
function presentIn<Value>(
  columns: readonly HeldColumn<Value | NotText>[],
  count: number,
  notTexts: Map<number, NotText>,
): readonly Present<Value>[] {
  const rows = Array.from({ length: count }, (): [string, NonNullable<Value>][] => []);
  for (const column of columns) {
    for (const [row, value] of textsIn(column.take(count), notTexts).entries())
      if (value !== null && value !== undefined) rows[row]?.push([column.name, value]);
  }
  return rows;
}

function sparseRow(indices: RowNumbers | null = null, values: RowNumbers | null = null): RowSparse | null {
  return indices === null && values === null ? null : { indices, values };
}
