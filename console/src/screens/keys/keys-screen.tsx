// Projects of the organization, and the API keys of the project in view.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { chooseProject, may, mayInOrganization, project, session } from '../../api/session.ts';
import { refreshSession } from '../../api/sign-in.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { PageHead, PartHead } from '../../ui/page.tsx';
import { useResource } from '../../ui/resource.ts';
import { Table } from '../../ui/table.tsx';
import { CreateKey } from './create-key.tsx';
import { CreateProject } from './create-project.tsx';

interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
}

export function KeysScreen() {
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHead title="Projects and keys">
        {mayInOrganization('admin::projects::create') && (
          <button type="button" onClick={() => setCreating(true)}>
            Create a project
          </button>
        )}
      </PageHead>
      <Projects />
      {project.value !== null && (
        <Keys key={project.value.id} id={project.value.id} name={project.value.name} />
      )}
      {isCreating && <CreateProject onClose={() => setCreating(false)} onCreated={refreshSession} />}
    </>
  );
}

function Projects() {
  const { projects = [] } = session.value ?? {};
  if (projects.length === 0) return <Empty title="You see no project yet." />;
  return (
    <Table
      rows={projects}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Project', cell: ({ name }) => <bdi>{name}</bdi> },
        { title: 'Id', kind: 'long', cell: ({ id }) => <code>{id}</code> },
        { title: 'In view', kind: 'actions', cell: ({ id }) => <InView id={id} /> },
      ]}
    />
  );
}

function InView({ id }: { readonly id: string }) {
  if (id === project.value?.id) return <span class="state good">In view</span>;
  return (
    <button type="button" class="small" onClick={() => chooseProject(id)}>
      View
    </button>
  );
}

function Keys({ id, name }: { readonly id: string; readonly name: string }) {
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ApiKey>();
  const mayRead = may('admin::api_keys::read');
  const mayWrite = may('admin::api_keys::write');
  const keys = useResource(mayRead ? `keys ${id}` : '', async (signal) => {
    const page = await call<{ readonly data: readonly ApiKey[] }>('GET', `admin/projects/${id}/api-keys`, {
      signal,
    });
    return page.data;
  });
  if (!mayRead) return <Empty title="Your role does not see the keys of this project." />;
  return (
    <section>
      <PartHead title={`API keys of ${name}`}>
        {mayWrite && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Create a key
          </button>
        )}
      </PartHead>
      <Shown of={keys}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No keys." />
          ) : (
            <KeyTable keys={all} onDelete={mayWrite ? setDeleting : undefined} />
          )
        }
      </Shown>
      {isCreating && <CreateKey projectId={id} onClose={() => setCreating(false)} onCreated={keys.reload} />}
      {deleting !== undefined && (
        <Confirm
          title="Revoke the key"
          name={deleting.name}
          action="Revoke"
          onConfirm={async () => {
            await call('DELETE', `admin/api-keys/${deleting.id}`);
            keys.reload();
          }}
          onClose={() => setDeleting(undefined)}
        >
          Whatever uses this key is refused at once, and sessions that were opened by it end.
        </Confirm>
      )}
    </section>
  );
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  /** Absent for roles that revoke no keys. */
  readonly onDelete: ((key: ApiKey) => void) | undefined;
}

function KeyTable({ keys, onDelete }: KeyTableProps) {
  return (
    <Table
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
        { title: 'Roles', cell: ({ roles }) => roles.join(', ') || 'none' },
        { title: 'Id', kind: 'long', cell: ({ id }) => <code>{id}</code> },
        onDelete !== undefined && {
          title: 'Actions',
          kind: 'actions',
          cell: (key) => (
            <button
              type="button"
              class="small"
              aria-label={`Revoke ${key.name}`}
              onClick={() => onDelete(key)}
            >
              Revoke
            </button>
          ),
        },
      ]}
    />
  );
}
