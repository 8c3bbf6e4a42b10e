// Collects the tables of a document while its text is written, within a bound for all of them.
import { type DocumentTable, TABLE_COLUMNS_MAX, TABLES_CHARACTERS_MAX, TABLES_MAX } from './table-model.ts';

const BETWEEN_CELLS = '\t';
const BETWEEN_ROWS = '\n';
/** Rows are joined in groups: as single strings, millions of short ones take too much memory. */
const GROUP_ROWS = 1_000;
const WHITE_SPACE = /\s+/g;

type TableOptions = Pick<DocumentTable, 'name' | 'columns' | 'hasPlainNumbers'>;

export class TableCollector {
  readonly #tables: TableRows[] = [];
  #left = TABLES_CHARACTERS_MAX;

  /** Begins a table; more columns may follow with its rows. */
  begin(options: TableOptions): TableRows {
    const table = new TableRows(options, (characters) => {
      this.#left -= characters;
      return this.#left >= 0;
    });
    this.#tables.push(table);
    return table;
  }

  /** The tables with rows; none where they are too large, or too many. */
  finish(): readonly DocumentTable[] {
    const tables = this.#tables.filter(({ rows }) => rows > 0);
    const isKept = this.#left >= 0 && tables.length <= TABLES_MAX;
    return isKept ? tables.flatMap((table) => table.finish() ?? []) : [];
  }
}

export class TableRows {
  readonly #options: TableOptions;
  readonly #isRoom: (characters: number) => boolean;
  readonly #groups: string[] = [];
  #group: string[] = [];
  #width: number;
  #isWhole = true;
  #isUnclear = false;
  #rows = 0;

  /** @param isRoom takes so many characters; false where there is no room for them */
  constructor(options: TableOptions, isRoom: (characters: number) => boolean) {
    this.#options = options;
    this.#isRoom = isRoom;
    this.#width = options.columns.length;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Whether all rows so far are kept. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Keeps nothing of the table, whose rows are not known as they are meant. */
  discard(): void {
    this.#isWhole = false;
    this.#group = [];
    this.#groups.length = 0;
  }

  /** Notes that a number of the table may be one that people wrote, in whichever format it is. */
  noteUnclearNumber(): void {
    this.#isUnclear = true;
  }

  /** Adds a row; one without any value is left out. */
  add(cells: readonly string[]): void {
    const row = cells.map((cell) => cell.replace(WHITE_SPACE, ' ').trim());
    while (row.length > 0 && row.at(-1) === '') row.pop();
    if (row.length === 0) return;
    this.#rows++;
    this.#width = Math.max(this.#width, row.length);
    const text = row.join(BETWEEN_CELLS);
    if (!this.#isRoom(text.length + 1) || this.#width > TABLE_COLUMNS_MAX) this.discard();
    if (!this.#isWhole) return;
    this.#group.push(text);
    if (this.#group.length === GROUP_ROWS) this.#endGroup();
  }

  /** Undefined where the table is not whole. */
  finish(): DocumentTable | undefined {
    if (!this.#isWhole) return undefined;
    this.#endGroup();
    const columns = Array.from(
      { length: this.#width },
      (_, at) => this.#options.columns[at]?.replace(WHITE_SPACE, ' ').trim() || `column ${at + 1}`,
    );
    const hasPlainNumbers = this.#options.hasPlainNumbers && !this.#isUnclear;
    const text = this.#groups.join(BETWEEN_ROWS);
    return { ...this.#options, hasPlainNumbers, columns, text, rows: this.#rows };
  }

  #endGroup(): void {
    if (this.#group.length > 0) this.#groups.push(this.#group.join(BETWEEN_ROWS));
    this.#group = [];
  }
}
