// Projects of the organization, and the API keys of the project in view.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { chooseProject, may, mayInOrganization, project, session } from '../../api/session.ts';
import { refreshSession } from '../../api/sign-in.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { useResource } from '../../ui/resource.ts';
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
      <div class="page-head">
        <h1>Projects and keys</h1>
        {mayInOrganization('admin::projects::create') && (
          <button type="button" onClick={() => setCreating(true)}>
            Create a project
          </button>
        )}
      </div>
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
    <div class="scroll-x">
      <table>
        <thead>
          <tr>
            <th>Project</th>
            <th>Id</th>
            <th class="unlabelled">In view</th>
          </tr>
        </thead>
        <tbody>
          {projects.map(({ id, name }) => (
            <tr key={id}>
              <td>
                <bdi>{name}</bdi>
              </td>
              <td class="break">
                <code>{id}</code>
              </td>
              <td class="number">
                {id === project.value?.id ? (
                  <span class="state good">In view</span>
                ) : (
                  <button type="button" class="small" onClick={() => chooseProject(id)}>
                    View
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
      <div class="page-head">
        <h2>API keys of {name}</h2>
        {mayWrite && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Create a key
          </button>
        )}
      </div>
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
    <div class="scroll-x">
      <table class="cards">
        <thead>
          <tr>
            <th>Name</th>
            <th>Roles</th>
            <th>Id</th>
            {onDelete !== undefined && <th class="unlabelled">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td data-label="Name">
                <bdi>{key.name}</bdi>
              </td>
              <td data-label="Roles">{key.roles.join(', ') || 'none'}</td>
              <td data-label="Id" class="break">
                <code>{key.id}</code>
              </td>
              {onDelete !== undefined && (
                <td data-label="Actions" class="number">
                  <button
                    type="button"
                    class="small"
                    aria-label={`Revoke ${key.name}`}
                    onClick={() => onDelete(key)}
                  >
                    Revoke
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
