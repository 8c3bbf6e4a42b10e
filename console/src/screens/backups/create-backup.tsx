// Makes a backup of an index.

import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';
import { useIndexChoice } from './index-choices.ts';

export interface CreateBackupProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

export function CreateBackup({ onClose, onCreated }: CreateBackupProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const task = useTask();
  const { choices, chosen, choose, problem } = useIndexChoice();
  const create = async (event: Event) => {
    event.preventDefault();
    const body = {
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      ...(description.trim() === '' ? {} : { description: description.trim() }),
    };
    const path = `indexes/${encodeURIComponent(chosen)}/backups`;
    const isMade = await task.run(() => call<void>('POST', path, { body, version: '2025-10' }));
    if (!isMade) return;
    onClose();
    onCreated();
  };
  return (
    <Dialog title="Create a backup" onClose={onClose}>
      <form onSubmit={create}>
        <Select label="Index" value={chosen} choices={choices} onValue={choose} />
        <Input label="Name" hint="Optional" value={name} onValue={setName} autocomplete="off" autofocus />
        <Input
          label="Description"
          hint="Optional"
          value={description}
          onValue={setDescription}
          autocomplete="off"
        />
        <ErrorBox problem={task.problem ?? problem} />
        <FormActions action="Create" disabled={chosen === '' || task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
