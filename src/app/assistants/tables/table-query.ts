// What a question asks of a table, in columns and conditions.
import type { Comparison, Language, Operation } from './question-words.ts';
import type { TableColumn } from './table-columns.ts';

export type Condition =
  | { readonly kind: 'value'; readonly column: TableColumn; readonly value: string }
  | {
      readonly kind: 'number';
      readonly column: TableColumn;
      readonly is: Comparison;
      readonly than: number;
      readonly shown: string;
    }
  | { readonly kind: 'year'; readonly column: TableColumn; readonly is: Comparison; readonly year: number }
  | { readonly kind: 'month'; readonly column: TableColumn; readonly month: number };

export interface TableQuery {
  readonly language: Language;
  readonly operation: Operation;
  /** What is added, averaged or compared; of a count, the column whose different values count. */
  readonly target: TableColumn | null;
  readonly conditions: readonly Condition[];
  /** How many words of the question named the table itself. */
  readonly named: number;
}

export function holds(condition: Condition, row: number): boolean {
  const { column } = condition;
  if (condition.kind === 'value') return (column.cells[row] ?? '').toLowerCase() === condition.value;
  if (condition.kind === 'number') {
    const number = column.numbers?.[row];
    return number !== null && number !== undefined && compares(number.value, condition.is, condition.than);
  }
  const date = column.dates?.[row];
  if (date === null || date === undefined) return false;
  return condition.kind === 'year'
    ? compares(date.year, condition.is, condition.year)
    : date.month === condition.month;
}

function compares(value: number, is: Comparison, than: number): boolean {
  if (is === '>') return value > than;
  if (is === '>=') return value >= than;
  if (is === '<') return value < than;
  return is === '<=' ? value <= than : value === than;
}
