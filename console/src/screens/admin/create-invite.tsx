// Invites a person with roles.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';
import { GrantFields, type Grants, grantsToWire } from './grants.tsx';
import type { SentInvite } from './types.ts';

interface CreateInviteProps {
  readonly onClose: () => void;
  readonly onSent: (invite: SentInvite) => void;
}

export function CreateInvite({ onClose, onSent }: CreateInviteProps) {
  const [email, setEmail] = useState('');
  const [grants, setGrants] = useState<Grants>({ organization: 'OrgMember', projects: [] });
  const task = useTask();
  const invite = (event: Event) => {
    event.preventDefault();
    const body = { email: email.trim(), role_bindings: grantsToWire(grants) };
    void task.run(async () => onSent(await call<SentInvite>('POST', 'admin/invites', { body })));
  };
  return (
    <Dialog title="Invite somebody" onClose={onClose}>
      <form onSubmit={invite}>
        <Input
          label="E-mail address"
          type="email"
          value={email}
          onValue={setEmail}
          required
          autocomplete="off"
          autofocus
        />
        <GrantFields grants={grants} onGrants={setGrants} isOrganizationRequired />
        <ErrorBox problem={task.problem} />
        <FormActions action="Invite" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
