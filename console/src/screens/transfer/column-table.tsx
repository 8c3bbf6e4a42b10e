// The columns of a file with their types and examples, and what each becomes.
import type { Index } from '../../api/types.ts';
import { Table } from '../../ui/table.tsx';
import { type Column, rolesFor } from './columns.ts';

interface ColumnTableProps {
  readonly index: Index;
  readonly columns: readonly Column[];
  /** Whether all values are texts, as in CSV, and may stay so. */
  readonly isText: boolean;
  readonly disabled: boolean;
  readonly onChange: (columns: readonly Column[]) => void;
}

export function ColumnTable({ index, columns, isText, disabled, onChange }: ColumnTableProps) {
  const roles = rolesFor(index);
  const change = (name: string, changed: Partial<Column>) =>
    onChange(columns.map((column) => (column.name === name ? { ...column, ...changed } : column)));
  const setRole = (name: string, value: string) =>
    change(name, { role: roles.find((each) => each.value === value)?.value ?? 'none' });
  return (
    <Table
      rows={columns}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Column', cell: ({ name }) => <bdi>{name}</bdi> },
        {
          title: 'Type',
          cell: ({ name, type, guessed, role }) =>
            isText && role === 'field' && guessed !== 'text' ? (
              <select
                aria-label={`Type of ${name}`}
                value={type}
                disabled={disabled}
                onChange={(event) =>
                  change(name, { type: event.currentTarget.value === 'text' ? 'text' : guessed })
                }
              >
                {[guessed, 'text'].map((each) => (
                  <option key={each} value={each} selected={each === type}>
                    {each}
                  </option>
                ))}
              </select>
            ) : (
              type
            ),
        },
        { title: 'First value', kind: 'long', cell: ({ example }) => <bdi class="quiet">{example}</bdi> },
        {
          title: 'Becomes',
          cell: ({ name, role }) => (
            <select
              aria-label={`What ${name} becomes`}
              value={role}
              disabled={disabled}
              onChange={(event) => setRole(name, event.currentTarget.value)}
            >
              {roles.map(({ value, text }) => (
                <option key={value} value={value} selected={value === role}>
                  {text}
                </option>
              ))}
            </select>
          ),
        },
      ]}
    />
  );
}
