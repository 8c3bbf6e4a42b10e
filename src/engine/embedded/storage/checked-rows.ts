// Reads vectors of the row file and compares each with the checksum that its record has.
import { NO_ROW_SUM, rowSumOf } from './integrity/record-sums.ts';
import type { RecordTable } from './record-table.ts';
import type { RowFile } from './row-file.ts';

/** Known checksums of so many adjacent rows are allocated together. */
const CHUNK_ROWS = 16_384;

/** Where to find what a row must be: first what the current request shows, then the newest commit. */
export interface RowRecords {
  readonly shown: { readonly records: RecordTable };
  readonly now: { readonly records: RecordTable };
}

/** The rows of one namespace. */
export interface NamespaceRows {
  readonly dimension: number;
  /**
   * Fills `into` with these rows, in their order.
   * @param sums their checksums, where the caller has just read the records
   * @throws the table's `damage`
   */
  readRows(rows: readonly number[], into: Uint8Array, sums?: readonly number[]): void;
  readRow(row: number): Float32Array;
}

export class CheckedRows {
  readonly #rowFile: RowFile;
  readonly #records: RowRecords;
  readonly #dimension: number;
  /** Checksums that rows had when they were last compared; NO_ROW_SUM for none. Rows that were reused differ. */
  readonly #known: (Uint32Array | undefined)[] = [];

  constructor(rowFile: RowFile, records: RowRecords, dimension: number) {
    this.#rowFile = rowFile;
    this.#records = records;
    this.#dimension = dimension;
  }

  /**
   * @param owners the namespaces whose rows these are: several for a branch
   * @param records where the checksums are; default the latest
   */
  of(owners: number | readonly number[], records: RowRecords = this.#records): NamespaceRows {
    const dimension = this.#dimension;
    const rowBytes = dimension * Float32Array.BYTES_PER_ELEMENT;
    const place = { owners: typeof owners === 'number' ? [owners] : owners, records };
    return {
      dimension,
      readRows: (rows, into, sums) => {
        this.#rowFile.readRows(rows, into);
        for (let i = 0; i < rows.length; i++) {
          const row = rows[i] ?? 0;
          const sum = rowSumOf(into.subarray(i * rowBytes, (i + 1) * rowBytes));
          if (sum !== sums?.[i]) this.#compare(place, row, sum);
        }
      },
      readRow: (row) => {
        const values = this.#rowFile.readRow(row);
        this.#compare(place, row, rowSumOf(new Uint8Array(values.buffer)));
        return values;
      },
    };
  }

  #compare(
    { owners, records }: { readonly owners: readonly number[]; readonly records: RowRecords },
    row: number,
    sum: number,
  ): void {
    const chunk = this.#known[Math.floor(row / CHUNK_ROWS)];
    if (chunk !== undefined && chunk[row % CHUNK_ROWS] === sum) return;
    const { shown } = records;
    let expected = sumIn(shown, owners, row);
    if (expected !== sum) expected = sumIn(records.now, owners, row);
    // Of a record that is just being removed, or of an older release.
    if (expected === NO_ROW_SUM) return;
    if (expected !== sum)
      throw shown.records.damage(`row ${row}, of namespace ${owners[0]}, does not have its checksum`);
    this.#note(row, sum);
  }

  #note(row: number, sum: number): void {
    const number = Math.floor(row / CHUNK_ROWS);
    while (this.#known.length <= number) this.#known.push(undefined);
    const chunk = this.#known[number] ?? new Uint32Array(CHUNK_ROWS);
    this.#known[number] = chunk;
    chunk[row % CHUNK_ROWS] = sum;
  }
}

/** A row has one owner at a time. */
function sumIn({ records }: RowRecords['now'], owners: readonly number[], row: number): number {
  for (const owner of owners) {
    const sum = records.rowSum(owner, row);
    if (sum !== NO_ROW_SUM) return sum;
  }
  return NO_ROW_SUM;
}
