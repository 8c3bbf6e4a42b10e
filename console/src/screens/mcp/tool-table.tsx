// The tools, and which roles of keys see each.
import { API_KEY_ROLES, type ApiKeyRole } from '../../../../src/domain/administration/roles.ts';
import { type Column, Table } from '../../ui/table.tsx';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly effect: 'read' | 'write' | 'destructive';
  readonly offered: boolean;
  readonly roles: readonly ApiKeyRole[];
}

const EFFECTS = { read: 'reads', write: 'writes', destructive: 'deletes or replaces' };

const COLUMNS: readonly Column<Tool>[] = [
  { title: 'Tool', cell: ({ name }) => <code>{name}</code> },
  { title: 'Does', cell: ({ title }) => title },
  { title: 'Effect', cell: ({ effect }) => EFFECTS[effect] },
  {
    title: 'Seen by',
    kind: 'long',
    cell: ({ offered, roles }) => (offered ? rolesText(roles) : 'nobody, by the settings'),
  },
];

export function ToolTable({ tools }: { readonly tools: readonly Tool[] }) {
  return <Table rows={tools} columns={COLUMNS} keyOf={({ name }) => name} />;
}

function rolesText(roles: readonly ApiKeyRole[]): string {
  return roles.length === API_KEY_ROLES.length ? 'every role' : roles.join(', ');
}
