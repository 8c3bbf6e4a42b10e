// The rows of a table that a file has, kept beside its text so that questions can be computed over all of them.

export interface DocumentTable {
  /** The sheet, the key path of a list of records, or the heading above; empty where the file is the table. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Rows separated by line feeds, cells by tabs, which no cell contains. A row may lack its last cells. */
  readonly text: string;
  readonly rows: number;
  /** Whether numbers are those of the format (`1234.5`), or written by people (`1.234,50 €`). */
  readonly hasPlainNumbers: boolean;
}

/** Of all tables of a file; the tables of files with more are not kept, and questions get passages of them alone. */
export const TABLES_CHARACTERS_MAX = 24 * 2 ** 20;
export const TABLE_COLUMNS_MAX = 500;
export const TABLES_MAX = 1_000;
