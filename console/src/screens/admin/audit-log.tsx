// The audit log: who did or was refused what, filtered and page by page.
import { route, setValues } from '../../router.ts';
import { Empty } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { useFollowing } from '../../ui/following.ts';
import { count, time } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { PagedTable, usePagedList } from '../../ui/paged-list.tsx';
import type { Column } from '../../ui/table.tsx';
import { type Principal, usePrincipals } from './principal-names.ts';
import type { AuditEntry } from './types.ts';

const OUTCOMES = [
  { value: '', text: 'Allowed and denied' },
  { value: 'allowed', text: 'Allowed' },
  { value: 'denied', text: 'Denied' },
];

export function AuditLog() {
  const { action = '', actor = '', resource = '', outcome = '' } = route.value.values;
  const principals = usePrincipals();
  const entries = usePagedList<AuditEntry>('admin/audit-log', {
    ...(action === '' ? {} : { action }),
    ...(actor === '' ? {} : { actor_id: actor }),
    ...(resource === '' ? {} : { resource_id: resource }),
    ...(outcome === '' ? {} : { outcome }),
  });
  const { reload } = entries.page;
  return (
    <section>
      <PartHead title="Audit log">
        <button type="button" onClick={reload}>
          Read again
        </button>
      </PartHead>
      <Filters {...{ action, actor, resource, outcome }} />
      <PagedTable
        list={entries}
        noun={['entry', 'entries']}
        keyOf={({ id }) => id}
        columns={columnsFor(principals ?? [])}
      >
        <Empty title="No entries." />
      </PagedTable>
    </section>
  );
}

type FilterValues = Readonly<Record<'action' | 'actor' | 'resource' | 'outcome', string>>;

function Filters(values: FilterValues) {
  // A click on an entry, a link or the back button may change them.
  const [typed, setTyped] = useFollowing(`${values.action} ${values.actor} ${values.resource}`, () => values);
  const set = (name: keyof FilterValues) => (value: string) => setTyped((all) => ({ ...all, [name]: value }));
  return (
    <form
      class="part"
      onSubmit={(event) => {
        event.preventDefault();
        const { action, actor, resource } = typed;
        setValues({ action: action.trim(), actor: actor.trim(), resource: resource.trim() }, true);
      }}
    >
      <div class="bench-form">
        <Input
          label="Action"
          placeholder="api_key.create"
          value={typed.action}
          onValue={set('action')}
          spellcheck={false}
        />
        <Input label="Id of the caller" value={typed.actor} onValue={set('actor')} spellcheck={false} />
        <Input
          label="Id of the resource"
          value={typed.resource}
          onValue={set('resource')}
          spellcheck={false}
        />
        <Select
          label="Outcome"
          value={values.outcome}
          choices={OUTCOMES}
          onValue={(outcome) => setValues({ outcome }, true)}
        />
      </div>
      <div class="actions">
        <button
          type="button"
          onClick={() => setValues({ action: '', actor: '', resource: '', outcome: '' }, true)}
        >
          All entries
        </button>
        <button type="submit">Filter</button>
      </div>
    </form>
  );
}

function columnsFor(principals: readonly Principal[]): readonly Column<AuditEntry>[] {
  const names = new Map(principals.map(({ id, name }) => [id, name]));
  const filterBy = (values: Partial<FilterValues>) => () => setValues(values, true);
  return [
    { title: 'When', cell: (entry) => time(entry.created_at) },
    {
      title: 'Who',
      kind: 'long',
      cell: ({ actor: { type, id } }) =>
        id === null ? (
          type
        ) : (
          <button type="button" class="link" onClick={filterBy({ actor: id })}>
            <bdi>{names.get(id) ?? `${type} ${id}`}</bdi>
          </button>
        ),
    },
    {
      title: 'What',
      kind: 'long',
      cell: ({ action, count: times }) => (
        <>
          <button type="button" class="link" onClick={filterBy({ action })}>
            {action}
          </button>
          {times > 1 && <span class="quiet"> × {count(times)}</span>}
        </>
      ),
    },
    {
      title: 'On',
      kind: 'long',
      cell: ({ resource_type: type, resource_id: id, details }) => (
        <>
          <bdi>{nameIn(details) ?? type}</bdi>{' '}
          {id !== null && (
            <button type="button" class="link" onClick={filterBy({ resource: id })}>
              <bdi>{names.get(id) ?? id}</bdi>
            </button>
          )}
        </>
      ),
    },
    {
      title: 'Outcome',
      cell: ({ outcome }) => <span class={`state ${outcome === 'allowed' ? 'good' : 'bad'}`}>{outcome}</span>,
    },
    {
      title: 'Details',
      kind: 'long',
      cell: ({ details, request_id: request }) => (
        <details>
          <summary>Show</summary>
          <code class="break">{JSON.stringify(details)}</code>
          {request !== null && (
            <p class="quiet">
              Request <code class="break">{request}</code>
            </p>
          )}
        </details>
      ),
    },
  ];
}

function nameIn({ name }: AuditEntry['details']): string | undefined {
  return typeof name === 'string' ? name : undefined;
}
