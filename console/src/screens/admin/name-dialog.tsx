// Asks for a name: of something new, or another one of something that there is.
import { useState } from 'preact/hooks';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';

interface NameDialogProps {
  readonly title: string;
  readonly action: string;
  readonly name?: string;
  readonly onName: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

export function NameDialog({ title, action, name: former = '', onName, onClose }: NameDialogProps) {
  const [name, setName] = useState(former);
  const task = useTask();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await task.run(() => onName(name))) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Input label="Name" value={name} onValue={setName} required autocomplete="off" autofocus />
        <ErrorBox problem={task.problem} />
        <FormActions action={action} disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
