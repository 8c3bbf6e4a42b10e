// Projects of the organization, and the API keys of the project in view.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { chooseProject, mayInOrganization, type Project, project, session } from '../../api/session.ts';
import { refreshSession } from '../../api/sign-in.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/feedback.tsx';
import { PartHead } from '../../ui/page.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { Table } from '../../ui/table.tsx';
import { Keys } from './keys.tsx';
import { NameDialog } from './name-dialog.tsx';
import { QuotaDialog } from './quota-dialog.tsx';

type Action =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename' | 'quota' | 'delete'; readonly project: Project };

export function Projects() {
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  return (
    <>
      <PartHead title="Projects">
        {mayInOrganization('admin::projects::create') && (
          <button type="button" onClick={() => setAction({ kind: 'create' })}>
            Create a project
          </button>
        )}
      </PartHead>
      <ProjectTable onAction={setAction} />
      {project.value !== null && (
        <Keys key={project.value.id} id={project.value.id} name={project.value.name} />
      )}
      {action?.kind === 'create' && (
        <NameDialog
          title="Create a project"
          action="Create"
          onClose={close}
          onName={async (name) => {
            await call('POST', 'admin/projects', { body: { name } });
            await refreshSession();
          }}
        />
      )}
      {action?.kind === 'rename' && (
        <NameDialog
          title="Rename the project"
          action="Rename"
          name={action.project.name}
          onClose={close}
          onName={async (name) => {
            await call('PATCH', `admin/projects/${action.project.id}`, { body: { name } });
            await refreshSession();
          }}
        />
      )}
      {action?.kind === 'quota' && (
        <QuotaDialog
          name={action.project.name}
          path={`admin/projects/${action.project.id}/quota`}
          onClose={close}
        />
      )}
      {action?.kind === 'delete' && (
        <Confirm
          title="Delete the project"
          name={action.project.name}
          action="Delete"
          onClose={close}
          onConfirm={async () => {
            await call('DELETE', `admin/projects/${action.project.id}`);
            await refreshSession();
          }}
        >
          Its keys are refused at once. The server deletes no project that still has indexes or assistants.
        </Confirm>
      )}
    </>
  );
}

function ProjectTable({ onAction }: { readonly onAction: (action: Action) => void }) {
  const { projects = [] } = session.value ?? {};
  if (projects.length === 0) return <Empty title="You see no project yet." />;
  return (
    <Table
      rows={projects}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Project', cell: ({ name }) => <bdi>{name}</bdi> },
        { title: 'Id', kind: 'long', cell: ({ id }) => <code>{id}</code> },
        { title: 'In view', cell: ({ id }) => <InView id={id} /> },
        {
          title: 'Actions',
          kind: 'actions',
          cell: (each) => <ProjectActions project={each} onAction={onAction} />,
        },
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

interface ProjectActionsProps {
  readonly project: Project;
  readonly onAction: (action: Action) => void;
}

function ProjectActions({ project: each, onAction }: ProjectActionsProps) {
  const may = (permission: string) => each.permissions.includes(permission);
  return (
    <span class="tools">
      {may('admin::project::update') && (
        <RowAction
          action="Rename"
          of={each.name}
          onClick={() => onAction({ kind: 'rename', project: each })}
        />
      )}
      {may('admin::project::read') && (
        <RowAction action="Quota" of={each.name} onClick={() => onAction({ kind: 'quota', project: each })} />
      )}
      {may('admin::project::delete') && (
        <RowAction
          action="Delete"
          of={each.name}
          onClick={() => onAction({ kind: 'delete', project: each })}
        />
      )}
    </span>
  );
}
