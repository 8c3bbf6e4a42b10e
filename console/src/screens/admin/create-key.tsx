// Makes an API key, and shows it once.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { useTask } from '../../ui/task.ts';
import { KeyRoles } from './key-roles.tsx';

export interface CreateKeyProps {
  readonly projectId: string;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

export function CreateKey({ projectId, onClose, onCreated }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [roles, setRoles] = useState<readonly string[]>(['ProjectEditor']);
  const [made, setMade] = useState<string>();
  const task = useTask();
  const create = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const path = `admin/projects/${projectId}/api-keys`;
      const { value } = await call<{ readonly value: string }>('POST', path, { body: { name, roles } });
      setMade(value);
      onCreated();
    });
  };
  if (made !== undefined) return <ShownOnce title="The new key" secret={made} onClose={onClose} />;
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <form onSubmit={create}>
        <Input label="Name" value={name} onValue={setName} required autocomplete="off" autofocus />
        <KeyRoles roles={roles} onRoles={setRoles} />
        <ErrorBox problem={task.problem} />
        <FormActions action="Create" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
