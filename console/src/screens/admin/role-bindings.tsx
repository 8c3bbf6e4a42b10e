// Who has which role where: roles are given and taken away, and a role that was taken away can be given back.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { mayInOrganization, session } from '../../api/session.ts';
import { refreshSession } from '../../api/sign-in.ts';
import { route, setValues } from '../../router.ts';
import { Empty, ErrorBox } from '../../ui/feedback.tsx';
import { Select } from '../../ui/field.tsx';
import { time } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { PagedTable, usePagedList } from '../../ui/paged-list.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { useTask } from '../../ui/task.ts';
import { GiveRole } from './give-role.tsx';
import { grantableProjects, mayGrantInOrganization } from './grants.tsx';
import { PRINCIPAL_KINDS, type Principal, usePrincipals } from './principal-names.ts';
import type { RoleBinding } from './types.ts';

const EVERYBODY = { value: '', text: 'Everybody' };
const KINDS = [
  { value: 'user', text: 'People' },
  { value: 'service_account', text: 'Service accounts' },
  { value: 'api_key', text: 'API keys' },
];

export function RoleBindings() {
  const { kind = '', who = '', where = '' } = route.value.values;
  const [isGiving, setGiving] = useState(false);
  const [taken, setTaken] = useState<RoleBinding>();
  const task = useTask();
  const principals = usePrincipals();
  const bindings = usePagedList<RoleBinding>('admin/role-bindings', queryOf({ kind, who, where }));
  const nameOf = (id: string) => principals?.find((each) => each.id === id)?.name ?? id;
  const changed = async () => {
    bindings.page.reload();
    await refreshSession();
  };
  const take = (binding: RoleBinding) =>
    task.run(async () => {
      await call('DELETE', `admin/role-bindings/${binding.id}`);
      setTaken(binding);
      await changed();
    });
  const giveBack = (binding: RoleBinding) =>
    task.run(async () => {
      await call('POST', 'admin/role-bindings', { body: bindingToWire(binding) });
      setTaken(undefined);
      await changed();
    });
  return (
    <section>
      <PartHead title="Roles">
        {(mayGrantInOrganization() || grantableProjects().length > 0) && (
          <button type="button" class="main" onClick={() => setGiving(true)}>
            Give a role
          </button>
        )}
      </PartHead>
      <Filters {...{ kind, who, where }} principals={principals ?? []} />
      {taken !== undefined && (
        <p role="status">
          {nameOf(taken.principal_id)} no longer has the role {taken.role}.{' '}
          <button type="button" class="small" disabled={task.isRunning} onClick={() => void giveBack(taken)}>
            Undo
          </button>
        </p>
      )}
      <ErrorBox problem={task.problem} />
      <PagedTable
        list={bindings}
        noun={['role', 'roles']}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Who', kind: 'long', cell: (binding) => <bdi>{nameOf(binding.principal_id)}</bdi> },
          { title: 'Kind', cell: (binding) => PRINCIPAL_KINDS[binding.principal_type] },
          { title: 'Role', cell: ({ role }) => role },
          { title: 'Where', cell: (binding) => <bdi>{placeOf(binding)}</bdi> },
          { title: 'Since', cell: (binding) => time(binding.created_at) },
          {
            title: 'Actions',
            kind: 'actions',
            cell: (binding) =>
              mayTake(binding) && (
                <RowAction
                  action="Take away"
                  of={`${binding.role} of ${nameOf(binding.principal_id)}`}
                  disabled={task.isRunning}
                  onClick={() => void take(binding)}
                />
              ),
          },
        ]}
      >
        <Empty title="No roles." />
      </PagedTable>
      {isGiving && (
        <GiveRole
          principals={principals}
          preset={{ kind, who }}
          onClose={() => setGiving(false)}
          onGiven={changed}
        />
      )}
    </section>
  );
}

interface FiltersProps {
  readonly kind: string;
  readonly who: string;
  readonly where: string;
  readonly principals: readonly Principal[];
}

function Filters({ kind, who, where, principals }: FiltersProps) {
  const { projects = [] } = session.value ?? {};
  const ofKind = principals.filter(({ type }) => type === kind);
  return (
    <div class="bench-form">
      <Select
        label="Kind"
        value={kind}
        choices={[EVERYBODY, ...KINDS]}
        onValue={(value) => setValues({ kind: value, who: '' })}
      />
      {kind !== '' && (
        <Select
          label="Who"
          value={who}
          choices={[EVERYBODY, ...ofKind.map(({ id, name }) => ({ value: id, text: name }))]}
          onValue={(value) => setValues({ who: value })}
        />
      )}
      <Select
        label="Where"
        value={where}
        choices={[
          { value: '', text: 'Everywhere' },
          ...(mayInOrganization('admin::role_bindings::read')
            ? [{ value: 'organization', text: 'In the organization' }]
            : []),
          ...projects.map(({ id, name }) => ({ value: id, text: name })),
        ]}
        onValue={(value) => setValues({ where: value })}
      />
    </div>
  );
}

function queryOf({ kind, who, where }: Readonly<Record<'kind' | 'who' | 'where', string>>) {
  return {
    ...(kind === '' ? {} : { principal_type: kind }),
    ...(who === '' ? {} : { principal_id: who }),
    ...(where === '' ? {} : { resource_type: where === 'organization' ? 'organization' : 'project' }),
    ...(where === '' || where === 'organization' ? {} : { resource_id: where }),
  };
}

function bindingToWire(binding: RoleBinding): object {
  const { principal_type, principal_id, resource_type, resource_id, role } = binding;
  const place = resource_type === 'project' ? { resource_id } : {};
  return { principal_type, principal_id, resource_type, ...place, role };
}

function placeOf({ resource_type: type, resource_id: id }: RoleBinding): string {
  if (type === 'organization') return 'the organization';
  return session.value?.projects.find((each) => each.id === id)?.name ?? id;
}

function mayTake({ resource_type: type, resource_id: id }: RoleBinding): boolean {
  if (type === 'organization') return mayGrantInOrganization();
  return mayGrantInOrganization() || grantableProjects().some((each) => each.id === id);
}
