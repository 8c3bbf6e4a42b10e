// Computes what a question asks over all rows of a table, and says it with the rows, columns and conditions used.
import { exactSum, meanOf, type ReadNumber } from './decimals.ts';
import type { ReadTable, TableColumn } from './table-columns.ts';
import { type Condition, holds, type TableQuery } from './table-query.ts';

/** Rows that are shown. */
const LISTED_MAX = 20;
const BEST_MAX = 3;
const ROW_CHARACTERS_MAX = 400;

/** @param title of the table, for display. @returns null where nothing can be computed, as the average of no numbers */
export function computed(query: TableQuery, table: ReadTable, title: string): string | null {
  const { language, conditions, operation } = query;
  const say = SENTENCES[language];
  const rows = table.rows.flatMap((_, row) => (conditions.every((each) => holds(each, row)) ? [row] : []));
  const where = conditions.map((each) => say.condition(each)).join(say.and);
  const left = table.leftOut === 0 ? '' : say.leftOut(table.leftOut);
  const begin = `${say.begin(table.rows.length, title)}${left}: `;
  const scope = conditions.length === 0 ? '' : say.scope(rows.length, where);
  if (operation === 'list' || (operation === 'count' && query.target === null)) {
    const count = conditions.length === 0 ? say.all(rows.length) : say.count(rows.length, where);
    if (operation === 'count' || rows.length === 0) return `${begin}${count}.`;
    const shown = rows.slice(0, LISTED_MAX).map((row) => `\n- ${rowText(table, row)}`);
    return `${begin}${count}${rows.length > LISTED_MAX ? say.first(LISTED_MAX) : ':'}${shown.join('')}`;
  }
  const { target } = query;
  if (target === null) return null;
  if (operation === 'count') {
    const values = new Set(
      rows.map((row) => (target.cells[row] ?? '').toLowerCase()).filter((cell) => cell !== ''),
    );
    return `${begin}${say.different(values.size, target.name)}${scope}.`;
  }
  const numbers = rows.flatMap((row) => target.numbers?.[row] ?? []);
  const empty = rows.length - numbers.length;
  const missing = empty === 0 ? '' : say.missing(empty);
  const result = resultOf(query, { target, numbers, rows, table });
  return result === null ? null : `${begin}${result.value}${scope}${missing}${result.rows}.`;
}

interface Numbers {
  readonly target: TableColumn;
  readonly numbers: readonly ReadNumber[];
  readonly rows: readonly number[];
  readonly table: ReadTable;
}

function resultOf(
  { language, operation }: TableQuery,
  { target, numbers, rows, table }: Numbers,
): { readonly value: string; readonly rows: string } | null {
  const say = SENTENCES[language];
  const [first] = numbers;
  if (first === undefined) return null;
  const shown = (digits: string): string => withUnit(say.number(digits), first.unit);
  if (operation === 'sum') return { value: say.sum(target.name, shown(exactSum(numbers))), rows: '' };
  if (operation === 'average') {
    const { digits, isExact } = meanOf(numbers);
    return { value: say.average(target.name, shown(digits), isExact), rows: '' };
  }
  const sign = operation === 'least' ? -1 : 1;
  const best = numbers.reduce((most, each) => (sign * each.value > sign * most.value ? each : most), first);
  const holders = rows.filter((row) => target.numbers?.[row]?.value === best.value);
  const texts = holders.slice(0, BEST_MAX).map((row) => rowText(table, row));
  const more = holders.length > BEST_MAX ? ' | …' : '';
  return {
    value: say.extreme(operation === 'least', target.name, shown(exactSum([best]))),
    rows: `${say.inRows(holders.length)}${texts.join(' | ')}${more}`,
  };
}

function withUnit(digits: string, unit: string): string {
  if (unit === '') return digits;
  return /^[$€£¥]$/.test(unit) ? `${unit}${digits}` : `${digits} ${unit}`;
}

function rowText({ columns, rows }: ReadTable, row: number): string {
  const text = columns
    .flatMap(({ name, at }) => {
      const cell = rows[row]?.[at] ?? '';
      return cell === '' ? [] : `${name}: ${cell}`;
    })
    .join('; ');
  return text.length <= ROW_CHARACTERS_MAX ? text : `${text.slice(0, ROW_CHARACTERS_MAX).toWellFormed()}…`;
}

interface Sentences {
  readonly and: string;
  number(digits: string): string;
  begin(rows: number, title: string): string;
  leftOut(rows: number): string;
  condition(condition: Condition): string;
  scope(rows: number, where: string): string;
  all(rows: number): string;
  count(rows: number, where: string): string;
  first(rows: number): string;
  different(values: number, column: string): string;
  missing(rows: number): string;
  sum(column: string, value: string): string;
  average(column: string, value: string, isExact: boolean): string;
  extreme(isLeast: boolean, column: string, value: string): string;
  inRows(rows: number): string;
}

const SENTENCES: Readonly<Record<TableQuery['language'], Sentences>> = {
  en: {
    and: ' and ',
    number: (digits) => digits,
    begin: (rows, title) => `Computed over all ${counted(rows, 'row', 'rows')} of ${title}`,
    leftOut: (rows) => ` (${counted(rows, 'row', 'rows')} of totals left out)`,
    condition: (condition) => conditionText(condition, 'year of', 'month of'),
    scope: (rows, where) => `, over the ${counted(rows, 'row', 'rows')} with ${where}`,
    all: (rows) => counted(rows, 'row', 'rows'),
    count: (rows, where) => `${counted(rows, 'row has', 'rows have')} ${where}`,
    first: (rows) => `; the first ${rows}:`,
    different: (values, column) => `${counted(values, 'different value', 'different values')} of ${column}`,
    missing: (rows) => `; ${counted(rows, 'row has', 'rows have')} no number there`,
    sum: (column, value) => `the sum of ${column} is ${value}`,
    average: (column, value, isExact) => `the average of ${column} is ${isExact ? '' : 'about '}${value}`,
    extreme: (isLeast, column, value) => `the ${isLeast ? 'least' : 'greatest'} ${column} is ${value}`,
    inRows: (rows) => `; in ${counted(rows, 'row', 'rows')}: `,
  },
  de: {
    and: ' und ',
    number: (digits) => digits.replace('.', ','),
    begin: (rows, title) => `Berechnet über alle ${counted(rows, 'Zeile', 'Zeilen')} von ${title}`,
    leftOut: (rows) => ` (ohne ${counted(rows, 'Summenzeile', 'Summenzeilen')})`,
    condition: (condition) => conditionText(condition, 'Jahr von', 'Monat von'),
    scope: (rows, where) => `, über ${counted(rows, 'Zeile', 'Zeilen')} mit ${where}`,
    all: (rows) => counted(rows, 'Zeile', 'Zeilen'),
    count: (rows, where) => `${counted(rows, 'Zeile', 'Zeilen')} mit ${where}`,
    first: (rows) => `; die ersten ${rows}:`,
    different: (values, column) =>
      `${counted(values, 'verschiedener Wert', 'verschiedene Werte')} von ${column}`,
    missing: (rows) => `; ${counted(rows, 'Zeile hat', 'Zeilen haben')} dort keine Zahl`,
    sum: (column, value) => `die Summe von ${column} ist ${value}`,
    average: (column, value, isExact) =>
      `der Durchschnitt von ${column} ist ${isExact ? '' : 'etwa '}${value}`,
    extreme: (isLeast, column, value) =>
      `der ${isLeast ? 'kleinste' : 'größte'} Wert von ${column} ist ${value}`,
    inRows: (rows) => `; in ${counted(rows, 'Zeile', 'Zeilen')}: `,
  },
};

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function conditionText(condition: Condition, yearOf: string, monthOf: string): string {
  const { column } = condition;
  if (condition.kind === 'value') {
    // As the file writes it.
    const written = column.cells.find((cell) => cell.toLowerCase() === condition.value) ?? condition.value;
    return `${column.name} = ${written}`;
  }
  if (condition.kind === 'number') return `${column.name} ${condition.is} ${condition.shown}`;
  if (condition.kind === 'month') return `${monthOf} ${column.name} = ${condition.month}`;
  return `${yearOf} ${column.name} ${condition.is} ${condition.year}`;
}
