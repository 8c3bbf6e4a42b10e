// Gives somebody a role in the organization or in a project.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';
import { grantableProjects, mayGrantInOrganization } from './grants.tsx';
import type { Principal } from './principal-names.ts';
import { KEY_ROLE_CHOICES, ORGANIZATION_ROLE_CHOICES, PROJECT_ROLE_CHOICES } from './roles.ts';

const ORGANIZATION = 'organization';
const KINDS = [
  { value: 'user', text: 'A person' },
  { value: 'service_account', text: 'A service account' },
  { value: 'api_key', text: 'An API key' },
];

interface GiveRoleProps {
  /** Undefined until they are read. */
  readonly principals: readonly Principal[] | undefined;
  readonly preset: { readonly kind: string; readonly who: string };
  readonly onClose: () => void;
  readonly onGiven: () => Promise<void>;
}

export function GiveRole({ principals, preset, onClose, onGiven }: GiveRoleProps) {
  const [kind, setKind] = useState(preset.kind || 'user');
  const [who, setWho] = useState(preset.who);
  const places = placesFor(kind);
  const [where, setWhere] = useState(places[0]?.value ?? '');
  const [role, setRole] = useState('');
  const task = useTask();
  const known = (principals ?? [])
    .filter(({ type }) => type === kind)
    .map(({ id, name }) => ({ value: id, text: name }));
  const roles = rolesFor(kind, where);
  const chosen = {
    who: who === '' ? (known[0]?.value ?? '') : who,
    role: roles.some(({ value }) => value === role) ? role : (roles[0]?.value ?? ''),
  };
  const give = async (event: Event) => {
    event.preventDefault();
    const place =
      where === ORGANIZATION
        ? { resource_type: 'organization' }
        : { resource_type: 'project', resource_id: where };
    const body = { principal_type: kind, principal_id: chosen.who.trim(), ...place, role: chosen.role };
    const isGiven = await task.run(async () => {
      await call('POST', 'admin/role-bindings', { body });
      await onGiven();
    });
    if (isGiven) onClose();
  };
  const chooseKind = (value: string) => {
    setKind(value);
    setWho('');
    if (!placesFor(value).some((each) => each.value === where)) setWhere(placesFor(value)[0]?.value ?? '');
  };
  return (
    <Dialog title="Give a role" onClose={onClose}>
      <form onSubmit={give}>
        <Select label="To" value={kind} choices={KINDS} onValue={chooseKind} />
        {known.length > 0 || principals === undefined ? (
          <Select label="Name" value={chosen.who} choices={known} onValue={setWho} />
        ) : (
          <Input
            label="Id"
            hint="Your role does not list their names"
            value={who}
            onValue={setWho}
            required
            autocomplete="off"
            spellcheck={false}
          />
        )}
        <Select label="In" value={where} choices={places} onValue={setWhere} />
        <Select label="Role" value={chosen.role} choices={roles} onValue={setRole} />
        <ErrorBox problem={task.problem} />
        <FormActions action="Give" disabled={task.isRunning || principals === undefined} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

/** Keys have roles in their project alone. */
function placesFor(kind: string) {
  const projects = grantableProjects().map(({ id, name }) => ({ value: id, text: name }));
  if (kind === 'api_key' || !mayGrantInOrganization()) return projects;
  return [...projects, { value: ORGANIZATION, text: 'The organization' }];
}

function rolesFor(kind: string, where: string) {
  if (where === ORGANIZATION) return ORGANIZATION_ROLE_CHOICES;
  return kind === 'api_key' ? KEY_ROLE_CHOICES : PROJECT_ROLE_CHOICES;
}
