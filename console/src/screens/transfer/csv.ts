// Comma-separated values as RFC 4180 has them, read piece by piece: quoted cells, doubled quotes, line breaks in cells.

/** Cells of one line; a longer one is no table. */
const CELL_CHARS_MAX = 2_000_000;

export class CsvReader {
  #separator = '';
  #cell = '';
  #row: string[] = [];
  #isQuoted = false;
  /** True after a quotation mark in a quoted cell: the end of it, or the first of two. */
  #isAfterQuote = false;
  #skipsLineFeed = false;
  /** Rows that have ended, the header among them. */
  #rows = 0;

  /** The rows that end in this piece. @throws Error for a cell without end */
  push(piece: string): readonly (readonly string[])[] {
    if (this.#separator === '') this.#separator = separatorIn(piece);
    const rows: (readonly string[])[] = [];
    for (const char of piece) {
      const row = this.#take(char);
      if (row !== null) rows.push(row);
    }
    return rows;
  }

  /** The last row, where it ends without a line break. @throws Error for a cell without end, which may have swallowed rows */
  finish(): readonly (readonly string[])[] {
    if (this.#isQuoted && !this.#isAfterQuote)
      throw new Error(`a cell ${this.#where()} does not end; is a quotation mark missing?`);
    if (this.#cell === '' && this.#row.length === 0) return [];
    return [this.#endRow()];
  }

  #take(char: string): readonly string[] | null {
    if (this.#isQuoted && !this.#isAfterQuote) {
      if (char === '"') this.#isAfterQuote = true;
      else this.#add(char);
      return null;
    }
    if (this.#isAfterQuote) {
      this.#isAfterQuote = false;
      if (char === '"') {
        this.#add(char);
        return null;
      }
      this.#isQuoted = false;
    }
    return this.#takeBare(char);
  }

  #takeBare(char: string): readonly string[] | null {
    const skips = this.#skipsLineFeed;
    this.#skipsLineFeed = false;
    if (char === '\n' && skips) return null;
    if (char === '"' && this.#cell === '') this.#isQuoted = true;
    else if (char === this.#separator) {
      this.#row.push(this.#cell);
      this.#cell = '';
    } else if (char === '\n' || char === '\r') {
      this.#skipsLineFeed = char === '\r';
      return this.#row.length === 0 && this.#cell === '' ? null : this.#endRow();
    } else this.#add(char);
    return null;
  }

  #add(char: string): void {
    if (this.#cell.length >= CELL_CHARS_MAX) {
      const problem = `a cell ${this.#where()} has more than ${CELL_CHARS_MAX} characters`;
      throw new Error(`${problem}; is a quotation mark missing?`);
    }
    this.#cell += char;
  }

  #where(): string {
    return this.#rows === 0 ? 'of the header' : `of row ${this.#rows}`;
  }

  #endRow(): readonly string[] {
    const row = [...this.#row, this.#cell];
    this.#rows++;
    this.#row = [];
    this.#cell = '';
    this.#isQuoted = false;
    this.#isAfterQuote = false;
    return row;
  }
}

/** The separator that the first line has most often. */
function separatorIn(text: string): string {
  const [line = ''] = text.split(/[\r\n]/, 1);
  const counts = [',', ';', '\t'].map((each) => ({ each, count: line.split(each).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).each;
}
