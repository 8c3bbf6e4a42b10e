// The columns of a file with their types and examples, and what each becomes.
import type { Index } from '../../api/types.ts';
import { Table } from '../../ui/table.tsx';
import { type Column, rolesFor } from './columns.ts';

interface ColumnTableProps {
  readonly index: Index;
  readonly columns: readonly Column[];
  readonly disabled: boolean;
  readonly onChange: (columns: readonly Column[]) => void;
}

export function ColumnTable({ index, columns, disabled, onChange }: ColumnTableProps) {
  const roles = rolesFor(index);
  const setRole = (name: string, value: string) => {
    const role = roles.find((each) => each.value === value)?.value ?? 'none';
    onChange(columns.map((column) => (column.name === name ? { ...column, role } : column)));
  };
  return (
    <Table
      rows={columns}
      keyOf={({ name }) => name}
      columns={[
        { title: 'Column', cell: ({ name }) => <bdi>{name}</bdi> },
        { title: 'Type', cell: ({ type }) => type },
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
