// Restores a backup to a new index.

import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { Backup } from '../../api/types.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { time } from '../../ui/format.ts';
import { useTask } from '../../ui/task.ts';

export interface RestoreBackupProps {
  readonly backup: Backup;
  readonly onClose: () => void;
  readonly onStarted: () => void;
}

export function RestoreBackup({ backup, onClose, onStarted }: RestoreBackupProps) {
  const [name, setName] = useState(`${backup.source_index_name}-restored`);
  const task = useTask();
  const restore = async (event: Event) => {
    event.preventDefault();
    const path = `backups/${backup.backup_id}/create-index`;
    if (!(await task.run(() => call<void>('POST', path, { body: { name }, version: '2025-10' })))) return;
    onClose();
    onStarted();
  };
  return (
    <Dialog title="Restore the backup" onClose={onClose}>
      <form onSubmit={restore}>
        <p>
          Makes a new index from the backup of {backup.source_index_name} of {time(backup.created_at)}. The
          index itself stays as it is.
        </p>
        <Input
          label="Name of the new index"
          value={name}
          onValue={setName}
          required
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
        <ErrorBox problem={task.problem} />
        <FormActions action="Restore" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
