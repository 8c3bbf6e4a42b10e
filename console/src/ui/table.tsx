// A table whose rows become cards where the page is narrow.
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the right; the title of actions is for readers of screens alone. Default text. */
  readonly kind?: 'text' | 'number' | 'long' | 'actions';
  /** A note on the cell, shown where the pointer rests. */
  readonly note?: (row: Row) => string | undefined;
}

export interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly (Column<Row> | false)[];
  readonly keyOf: (row: Row) => string;
  /** Default true. */
  readonly hasCards?: boolean;
}

const CLASSES = { text: '', number: 'number', long: 'break', actions: 'number' };
const HEADS = { text: '', number: 'number', long: '', actions: 'unlabelled' };

export function Table<Row>({ rows, columns, keyOf, hasCards = true }: TableProps<Row>) {
  const shown = columns.filter((column) => column !== false);
  return (
    <div class="scroll-x">
      <table class={hasCards ? 'cards' : ''}>
        <thead>
          <tr>
            {shown.map(({ title, kind = 'text' }) => (
              <th key={title} class={HEADS[kind]}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {shown.map(({ title, cell, kind = 'text', note }) => (
                <td key={title} data-label={title} class={CLASSES[kind]} title={note?.(row)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
