// Reads vectors of the row file and compares each with the checksum that its record has.
import { NO_ROW_SUM, rowSumOf } from './integrity/record-sums.ts';
import type { RecordTable } from './record-table.ts';
import { type RowFile, RowUnreadable } from './row-file.ts';
import { RowNumbers } from './row-numbers.ts';

/** Where to find what a row must be: first what the current request shows, then the newest commit. */
export interface RowRecords {
  readonly shown: { readonly records: RecordTable };
  readonly now: { readonly records: RecordTable };
}

/** What a caller knows of rows that it reads, which saves computing or looking up their checksums. */
export interface KnownOfRows {
  /** The checksums, where the caller has just read the records. */
  readonly sums?: readonly number[];
  /** Computes fingerprints of the first `count` rows that were just read into its memory. */
  readonly printsOf?: (count: number) => Uint32Array;
}

/** The rows of one namespace. */
export interface NamespaceRows {
  readonly dimension: number;
  /** Fills `into` with these rows, in their order. @throws the table's `damage` */
  readRows(rows: readonly number[], into: Uint8Array, known?: KnownOfRows): void;
  readRow(row: number): Float32Array;
}

/** Namespaces whose rows these are, and where the checksums are. */
interface Place {
  readonly owners: readonly number[];
  readonly records: RowRecords;
}

/** Runs a read of rows whose records are in this table. @throws the table's `damage` for a row that cannot be read */
export function readingRows<Result>(records: Pick<RecordTable, 'damage'>, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof RowUnreadable ? records.damage(error.message) : error;
  }
}

export class CheckedRows {
  readonly #rowFile: RowFile;
  readonly #records: RowRecords;
  readonly #dimension: number;
  /** Checksums, and fingerprints, of rows when their records were last asked. Rows that were reused differ. */
  readonly #sums = new RowNumbers();
  readonly #prints = new RowNumbers();

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
    const place = { owners: typeof owners === 'number' ? [owners] : owners, records };
    return {
      dimension: this.#dimension,
      readRows: (rows, into, { sums, printsOf } = {}) => {
        readingRows(records.shown.records, () => this.#rowFile.readRows(rows, into));
        if (printsOf === undefined) this.#compareSums(place, { rows, into, sums });
        else this.#comparePrints(place, { rows, into, prints: printsOf(rows.length) });
      },
      readRow: (row) => {
        const values = readingRows(records.shown.records, () => this.#rowFile.readRow(row));
        this.#compareSums(place, { rows: [row], into: new Uint8Array(values.buffer), sums: undefined });
        return values;
      },
    };
  }

  #compareSums(
    place: Place,
    { rows, into, sums }: ReadRows & { readonly sums: readonly number[] | undefined },
  ) {
    for (const [i, row] of rows.entries()) {
      const sum = rowSumOf(this.#bytesOf(into, i));
      if (sum !== sums?.[i] && sum !== this.#sums.get(row) && isOfRecord(place, row, sum))
        this.#sums.set(row, sum);
    }
  }

  /** Checksums are computed only of rows whose fingerprint is not that of a row that had its checksum. */
  #comparePrints(place: Place, { rows, into, prints }: ReadRows & { readonly prints: Uint32Array }): void {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      const print = prints[i] ?? 0;
      if (this.#prints.get(row) === print) continue;
      if (isOfRecord(place, row, rowSumOf(this.#bytesOf(into, i)))) this.#prints.set(row, print);
    }
  }

  #bytesOf(into: Uint8Array, at: number): Uint8Array {
    const bytes = this.#dimension * Float32Array.BYTES_PER_ELEMENT;
    return into.subarray(at * bytes, (at + 1) * bytes);
  }
}

interface ReadRows {
  readonly rows: readonly number[];
  readonly into: Uint8Array;
}

/**
 * True when a row has the checksum of its record; false when there is none to compare: of a record that is just being
 * removed, or of an older release. @throws the table's `damage`
 */
function isOfRecord({ owners, records }: Place, row: number, sum: number): boolean {
  const { shown } = records;
  let expected = sumIn(shown, owners, row);
  if (expected !== sum) expected = sumIn(records.now, owners, row);
  if (expected === NO_ROW_SUM) return false;
  if (expected !== sum)
    throw shown.records.damage(`row ${row}, of namespace ${owners[0]}, does not have its checksum`);
  return true;
}

/** A row has one owner at a time. */
function sumIn({ records }: RowRecords['now'], owners: readonly number[], row: number): number {
  for (const owner of owners) {
    const sum = records.rowSum(owner, row);
    if (sum !== NO_ROW_SUM) return sum;
  }
  return NO_ROW_SUM;
}
