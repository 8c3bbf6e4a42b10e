// Makes a project.

import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';

export interface CreateProjectProps {
  readonly onClose: () => void;
  readonly onCreated: () => Promise<void>;
}

export function CreateProject({ onClose, onCreated }: CreateProjectProps) {
  const [name, setName] = useState('');
  const task = useTask();
  const create = async (event: Event) => {
    event.preventDefault();
    const isMade = await task.run(async () => {
      await call('POST', 'admin/projects', { body: { name } });
      await onCreated();
    });
    if (isMade) onClose();
  };
  return (
    <Dialog title="Create a project" onClose={onClose}>
      <form onSubmit={create}>
        <Input label="Name" value={name} onValue={setName} required autocomplete="off" autofocus />
        <ErrorBox problem={task.problem} />
        <FormActions action="Create" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
