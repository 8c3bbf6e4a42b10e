// The columns of a table as values that compare: numbers, dates or texts.
import type { DocumentTable } from '../../../documents/port.ts';
import { inTurns } from '../../../platform/turns.ts';
import { type ReadNumber, readNumbers } from './decimals.ts';

export interface TableDate {
  readonly year: number;
  /** 1 to 12, where it is known. */
  readonly month: number | undefined;
}

export interface TableColumn {
  readonly at: number;
  readonly name: string;
  /** Of all rows; '' where a row has none. */
  readonly cells: readonly string[];
  /** Null where not all cells are numbers of one unit. A row without one has null. */
  readonly numbers: readonly (ReadNumber | null)[] | null;
  /** Null where not all cells are dates. */
  readonly dates: readonly (TableDate | null)[] | null;
}

export interface ReadTable {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly string[])[];
  /** Rows of totals, which are no records. */
  readonly leftOut: number;
}

/** Groups of rows that are divided in one turn of the event loop. */
const GROUP_ROWS = 2_000;
const TOTALS =
  /^(?:(?:grand |sub-?)?totals?|sum|average|(?:gesamt|zwischen)?summe|gesamt|insgesamt|durchschnitt)\b:?$/i;
const ISO_DATE = /^(\d{4})-(\d{2})(?:-\d{2})?(?:[T ]\d{2}:\d{2}\S*)?$/;
const GERMAN_DATE = /^\d{1,2}\.(\d{1,2})\.(\d{4})$/;
const SLASH_DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const YEAR = /^(?:1[5-9]|20|21)\d{2}$/;
const YEAR_NAME = /year|jahr/i;

export async function readTable(table: DocumentTable): Promise<ReadTable> {
  const lines = table.text.split('\n');
  const groups = Array.from({ length: Math.ceil(lines.length / GROUP_ROWS) }, (_, at) =>
    lines.slice(at * GROUP_ROWS, (at + 1) * GROUP_ROWS),
  );
  const all = (await inTurns(groups, (group) => group.map((line) => line.split('\t')))).flat();
  const rows = all.filter((row) => !isTotals(row));
  const columns = await inTurns(table.columns, (name, at): TableColumn => {
    const cells = rows.map((row) => row[at] ?? '');
    const dates = datesOf(name, cells);
    // A year is a date: nobody adds years.
    return {
      at,
      name,
      cells,
      dates,
      numbers: dates === null ? readNumbers(cells, table.hasPlainNumbers) : null,
    };
  });
  return { name: table.name, columns, rows, leftOut: all.length - rows.length };
}

function isTotals(row: readonly string[]): boolean {
  const first = row.find((cell) => cell !== '');
  return first !== undefined && TOTALS.test(first);
}

function datesOf(name: string, cells: readonly string[]): readonly (TableDate | null)[] | null {
  const dates: (TableDate | null)[] = [];
  let isAny = false;
  for (const cell of cells) {
    const date = cell === '' ? null : dateOf(cell, YEAR_NAME.test(name));
    if (date === undefined) return null;
    isAny ||= date !== null;
    dates.push(date);
  }
  return isAny ? dates : null;
}

function dateOf(cell: string, mayBeYear: boolean): TableDate | undefined {
  const iso = ISO_DATE.exec(cell);
  if (iso !== null) return checked(Number(iso[1]), Number(iso[2]));
  const german = GERMAN_DATE.exec(cell);
  if (german !== null) return checked(Number(german[2]), Number(german[1]));
  const slashed = SLASH_DATE.exec(cell);
  // 3/4/2024 is in March or in April.
  if (slashed !== null) return { year: Number(slashed[3]), month: undefined };
  return mayBeYear && YEAR.test(cell) ? { year: Number(cell), month: undefined } : undefined;
}

function checked(year: number, month: number): TableDate | undefined {
  return month >= 1 && month <= 12 ? { year, month } : undefined;
}
