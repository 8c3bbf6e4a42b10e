// Makes an API key, and shows it once.

import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';

const ROLES = [
  { value: 'ProjectEditor', text: 'Editor: everything with indexes and records' },
  { value: 'ProjectViewer', text: 'Viewer: read and search' },
  { value: 'DataPlaneEditor', text: 'Records only: read, search and write' },
  { value: 'DataPlaneViewer', text: 'Records only: read and search' },
  { value: 'ControlPlaneEditor', text: 'Indexes only: create, change and delete' },
  { value: 'ControlPlaneViewer', text: 'Indexes only: list and describe' },
];

export interface CreateKeyProps {
  readonly projectId: string;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

export function CreateKey({ projectId, onClose, onCreated }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState('ProjectEditor');
  const [made, setMade] = useState<string>();
  const task = useTask();
  const create = (event: Event) => {
    event.preventDefault();
    void task.run(async () => {
      const path = `admin/projects/${projectId}/api-keys`;
      const { value } = await call<{ readonly value: string }>('POST', path, {
        body: { name, roles: [role] },
      });
      setMade(value);
      onCreated();
    });
  };
  if (made !== undefined) {
    return (
      <Dialog title="The new key" onClose={onClose}>
        <p>Copy it now: it is shown only this once.</p>
        <p class="secret">
          <code>{made}</code> <CopyButton text={made} />
        </p>
        <div class="actions">
          <button type="button" class="main" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <form onSubmit={create}>
        <Input label="Name" value={name} onValue={setName} required autocomplete="off" autofocus />
        <Select label="It may" value={role} choices={ROLES} onValue={setRole} />
        <ErrorBox problem={task.problem} />
        <FormActions action="Create" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
