// Roles to give: one in the organization, and one in each of any projects.
import { mayInOrganization, session } from '../../api/session.ts';
import { Select } from '../../ui/field.tsx';
import { RowAction } from '../../ui/row-action.tsx';
import { ORGANIZATION_ROLE_CHOICES, PROJECT_ROLE_CHOICES } from './roles.ts';

export interface Grants {
  /** Empty for none. */
  readonly organization: string;
  readonly projects: readonly ProjectGrant[];
}

interface ProjectGrant {
  readonly project: string;
  readonly role: string;
}

const WRITE = 'admin::role_bindings::write';
const NO_ROLE = { value: '', text: 'No role in the organization' };

/** The projects in which the person of the session may give roles. */
export function grantableProjects() {
  const { projects = [] } = session.value ?? {};
  return projects.filter(({ permissions }) => permissions.includes(WRITE));
}

export function mayGrantInOrganization(): boolean {
  return mayInOrganization(WRITE);
}

/** As the server takes them. */
export function grantsToWire({ organization, projects }: Grants): readonly object[] {
  return [
    ...(organization === '' ? [] : [{ resource_type: 'organization', role: organization }]),
    ...projects.map(({ project, role }) => ({ resource_type: 'project', resource_id: project, role })),
  ];
}

interface GrantFieldsProps {
  readonly grants: Grants;
  readonly onGrants: (grants: Grants) => void;
  /** Invites need a role in the organization. */
  readonly isOrganizationRequired?: boolean;
}

export function GrantFields({ grants, onGrants, isOrganizationRequired = false }: GrantFieldsProps) {
  const { organization, projects } = grants;
  const open = grantableProjects();
  const [first] = open;
  const choices = isOrganizationRequired
    ? ORGANIZATION_ROLE_CHOICES
    : [NO_ROLE, ...ORGANIZATION_ROLE_CHOICES];
  const setProjects = (changed: readonly ProjectGrant[]) => onGrants({ organization, projects: changed });
  return (
    <>
      <Select
        label="Role in the organization"
        value={organization}
        choices={choices}
        onValue={(role) => onGrants({ organization: role, projects })}
      />
      {projects.map((grant, at) => (
        <fieldset class="schema" key={at}>
          <legend>Project {at + 1}</legend>
          <ProjectGrantFields
            grant={grant}
            onGrant={(changed) => setProjects(projects.with(at, changed))}
            projects={open.map(({ id, name }) => ({ value: id, text: name }))}
          />
          <RowAction
            action="Remove"
            of={`project ${at + 1}`}
            onClick={() => setProjects(projects.toSpliced(at, 1))}
          />
        </fieldset>
      ))}
      {first !== undefined && (
        <button
          type="button"
          class="small"
          onClick={() => setProjects([...projects, { project: first.id, role: 'ProjectViewer' }])}
        >
          Add a project
        </button>
      )}
    </>
  );
}

interface ProjectGrantFieldsProps {
  readonly grant: ProjectGrant;
  readonly onGrant: (grant: ProjectGrant) => void;
  readonly projects: readonly { readonly value: string; readonly text: string }[];
}

function ProjectGrantFields({ grant, onGrant, projects }: ProjectGrantFieldsProps) {
  return (
    <>
      <Select
        label="Project"
        value={grant.project}
        choices={projects}
        onValue={(project) => onGrant({ ...grant, project })}
      />
      <Select
        label="Role in the project"
        value={grant.role}
        choices={PROJECT_ROLE_CHOICES}
        onValue={(role) => onGrant({ ...grant, role })}
      />
    </>
  );
}
