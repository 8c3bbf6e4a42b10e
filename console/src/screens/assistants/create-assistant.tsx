// Creates an assistant.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { go } from '../../router.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input, TextArea } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';

interface CreateAssistantProps {
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

export function CreateAssistant({ onClose, onCreated }: CreateAssistantProps) {
  const [name, setName] = useState('');
  const [instructions, setInstructions] = useState('');
  const task = useTask();
  const create = async (event: Event) => {
    event.preventDefault();
    const body = { name, ...(instructions.trim() === '' ? {} : { instructions }) };
    if (!(await task.run(() => call<void>('POST', 'assistant/assistants', { body })))) return;
    onClose();
    onCreated();
    go(['assistants', name]);
  };
  return (
    <Dialog title="Create an assistant" onClose={onClose}>
      <form onSubmit={create}>
        <Input
          label="Name"
          value={name}
          onValue={setName}
          required
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
        <TextArea
          label="Instructions"
          hint="Optional: how a language model is to answer"
          value={instructions}
          onValue={setInstructions}
        />
        <ErrorBox problem={task.problem} />
        <FormActions action="Create" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
