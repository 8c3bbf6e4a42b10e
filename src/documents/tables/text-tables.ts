// Reads the rows of a table from its text, where every line has as many cells as the first, which names them.
import type { TableCollector } from './table-collector.ts';

const BETWEEN_CELLS = ' | ';
const NUMERIC = /^[-+]?[$€£]?\d[\d.,'\s]*%?$/;

/** @param name the heading above the table */
export function collectTextTable(text: string, name: string, tables: TableCollector): void {
  const [columns = [], ...rows] = text.split('\n').map((line) => line.split(BETWEEN_CELLS));
  const isNamed = columns.every((column) => column.trim() !== '' && !NUMERIC.test(column.trim()));
  if (rows.length === 0 || columns.length < 2 || !isNamed || new Set(columns).size < columns.length) return;
  if (rows.some((row) => row.length !== columns.length)) return;
  const table = tables.begin({ name, columns, hasPlainNumbers: false });
  for (const row of rows) table.add(row);
}
