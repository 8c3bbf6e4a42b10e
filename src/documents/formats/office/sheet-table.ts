// Writes the rows of a sheet: lines of text above the table, then each row with the names of its columns.
import type { TableRows } from '../../tables/table-collector.ts';
import { TABLE_COLUMNS_MAX } from '../../tables/table-model.ts';
import type { DocumentWriter } from '../../text/document-writer.ts';
import { bareRow, columnHeading, hasRoomForNames, namedRow, oneLine } from '../table-rows.ts';
import type { MergedRows } from './merged-rows.ts';
import type { SheetCells, SheetRow } from './sheet-rows.ts';

/** With more rows of one cell before the first of several, the sheet is a list and these are its rows. */
const LINES_ABOVE_MAX = 10;

export interface SheetSizes {
  readonly rows: number;
  readonly characters: number;
  readonly charactersMax: number;
}

/** Takes the rows of one sheet. The first row of several cells names the columns; in a list, the first row does. */
export class SheetTable {
  readonly #writer: DocumentWriter;
  readonly #sizes: SheetSizes;
  readonly #merged: MergedRows;
  #above: SheetRow[] = [];
  #names: SheetCells | undefined;
  #isNamed = true;
  #table: TableRows | undefined;
  #rows = 0;

  constructor(writer: DocumentWriter, sizes: SheetSizes, merged: MergedRows) {
    this.#writer = writer;
    this.#merged = merged;
    this.#sizes = sizes;
  }

  /** @throws DocumentRefusal `too-large` */
  add(row: SheetRow): void {
    if (this.#names !== undefined) this.#addRow(row);
    else if (row.cells.size > 1) this.#beginTable(row);
    else {
      this.#above.push(row);
      if (this.#above.length > LINES_ABOVE_MAX) this.#beginList();
    }
  }

  /** @throws DocumentRefusal `too-large` */
  finish(): void {
    if (this.#names === undefined) this.#beginList();
    if (this.#rows === 0)
      this.#writer.add({ kind: 'row', text: bareRow([...(this.#names?.values() ?? [])]) });
  }

  #beginTable(names: SheetRow): void {
    for (const line of this.#above) {
      this.#writer.add({ kind: 'paragraph', text: [...line.cells.values()].join(' ') });
    }
    this.#name(names);
  }

  #beginList(): void {
    const [names, ...rows] = this.#above;
    if (names === undefined) return;
    this.#name(names);
    for (const row of rows) this.#addRow(row);
  }

  #name({ number, cells }: SheetRow): void {
    this.#names = new Map([...cells].map(([column, name]) => [column, oneLine(name)]));
    this.#above = [];
    const shown = [...this.#names.values()];
    const width = Math.max(-1, ...this.#names.keys()) + 1;
    const columns = Array.from(
      { length: Math.min(width, TABLE_COLUMNS_MAX) },
      (_, at) => this.#names?.get(at) ?? '',
    );
    this.#table = this.#writer.tables.begin({ name: this.#writer.heading, columns, hasPlainNumbers: true });
    if (this.#merged.reachesBelow(number)) this.#table.discard();
    this.#isNamed = hasRoomForNames(shown, this.#sizes);
    if (!this.#isNamed) this.#writer.add({ kind: 'heading', level: 2, text: columnHeading(shown) });
  }

  #addRow(row: SheetRow): void {
    const { cells } = row;
    const names = this.#names ?? cells;
    this.#rows++;
    if (this.#table?.isWhole) this.#collect(row, this.#table);
    const text = this.#isNamed
      ? namedRow((column) => names.get(column), cells)
      : bareRow([...new Set([...names.keys(), ...cells.keys()])].map((column) => cells.get(column) ?? ''));
    this.#writer.add({ kind: 'row', text });
  }

  #collect(row: SheetRow, table: TableRows): void {
    if (row.isUnclear) table.noteUnclearNumber();
    const cells = this.#merged.filled(row);
    const last = Math.min(Math.max(-1, ...(cells?.keys() ?? [])), TABLE_COLUMNS_MAX);
    if (cells === null) table.discard();
    else table.add(Array.from({ length: last + 1 }, (_, at) => cells.get(at) ?? ''));
  }
}
