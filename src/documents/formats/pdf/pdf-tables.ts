// Writes the tables of PDF pages: rows with the names of their columns where a header is known, else bare rows.
import type { DocumentWriter } from '../../text/document-writer.ts';
import { bareRow, namedRow } from '../table-rows.ts';
import type { PdfLine } from './pdf-lines.ts';

/** A number, perhaps with a sign, a currency or a unit. */
const NUMERIC = /^[-+−(]?\s*(?:[$€£¥]\s*)?\d[\d.,'\s]*\s*(?:%|[$€£¥]|\p{L}{1,3})?\)?$/u;
/** Of the cells below the name of a column: from this share on, they are numbers. */
const NUMBERS_SHARE_MIN = 0.6;

interface KnownTable {
  readonly names: readonly string[];
  readonly page: number;
}

/** Takes the tables of a document in order: one that continues on the next page keeps the names of its columns. */
export class PdfTables {
  readonly #writer: DocumentWriter;
  #last: KnownTable | undefined;

  constructor(writer: DocumentWriter) {
    this.#writer = writer;
  }

  /** @throws DocumentRefusal `too-large` */
  add(lines: readonly PdfLine[]): void {
    const [first] = lines;
    if (first === undefined) return;
    const { page } = first;
    const own = headerOf(lines);
    const known = own ?? this.#continued(first);
    if (known === undefined) {
      this.#last = undefined;
      const text = lines.map(({ row = [] }) => bareRow(row)).join('\n');
      this.#writer.add({ kind: 'table', text, page });
      return;
    }
    this.#last = { names: known, page };
    const isHeaded = own !== undefined || isSame(first.row, known);
    for (const { row = [] } of isHeaded ? lines.slice(1) : lines) {
      this.#writer.add({ kind: 'row', text: namedRow((at) => known[at], row.entries()), page });
    }
  }

  /** Text between two tables: the next one is another. */
  end(): void {
    this.#last = undefined;
  }

  #continued({ page, row = [] }: PdfLine): readonly string[] | undefined {
    const last = this.#last;
    return last?.page === page - 1 && last.names.length === row.length ? last.names : undefined;
  }
}

/** The first row, where it names the columns: in a font of its own, or above numbers. */
function headerOf(lines: readonly PdfLine[]): readonly string[] | undefined {
  const [first, ...others] = lines;
  const names = first?.row ?? [];
  if (others.length === 0 || names.length < 2 || new Set(names).size < names.length) return undefined;
  if (names.some((name) => name === '' || NUMERIC.test(name))) return undefined;
  const hasOwnFont = first?.font !== undefined && others.every(({ font }) => font !== first.font);
  return hasOwnFont || names.some((_, at) => isNumeric(others, at)) ? names : undefined;
}

function isNumeric(rows: readonly PdfLine[], column: number): boolean {
  const cells = rows.map(({ row = [] }) => row[column] ?? '').filter((cell) => cell !== '');
  const numbers = cells.filter((cell) => NUMERIC.test(cell));
  return cells.length > 0 && numbers.length >= cells.length * NUMBERS_SHARE_MIN;
}

function isSame(row: readonly string[] = [], names: readonly string[]): boolean {
  return row.length === names.length && row.every((cell, at) => cell === names[at]);
}
