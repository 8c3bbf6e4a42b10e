// Changes the name and the roles of an API key.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';
import { KeyRoles } from './key-roles.tsx';
import type { ApiKey } from './types.ts';

interface ChangeKeyProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function ChangeKey({ apiKey, onClose, onChanged }: ChangeKeyProps) {
  const [name, setName] = useState(apiKey.name);
  const [roles, setRoles] = useState<readonly string[]>(apiKey.roles);
  const task = useTask();
  const change = async (event: Event) => {
    event.preventDefault();
    const isChanged = await task.run(async () => {
      await call('PATCH', `admin/api-keys/${apiKey.id}`, { body: { name, roles } });
      onChanged();
    });
    if (isChanged) onClose();
  };
  return (
    <Dialog title="Change the key" onClose={onClose}>
      <form onSubmit={change}>
        <Input label="Name" value={name} onValue={setName} required autocomplete="off" autofocus />
        <KeyRoles roles={roles} onRoles={setRoles} />
        <p class="quiet">New roles count from the next request on.</p>
        <ErrorBox problem={task.problem} />
        <FormActions action="Change" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
