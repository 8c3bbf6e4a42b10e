// Makes a judgment set, empty or from a file of questions.
import { useState } from 'preact/hooks';
import { Dialog } from '../../ui/dialog.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { plural } from '../../ui/format.ts';
import { useTask } from '../../ui/task.ts';
import { NamespaceInput } from '../index/namespace-input.tsx';
import { createSet, questionsIn } from './judgment-calls.ts';
import type { JudgmentSet } from './types.ts';

interface SetFormProps {
  readonly index: string;
  readonly namespace: string;
  readonly onClose: () => void;
  readonly onMade: (set: JudgmentSet) => void;
}

export function SetForm({ index, namespace: first, onClose, onMade }: SetFormProps) {
  const [name, setName] = useState('');
  const [namespace, setNamespace] = useState(first);
  const [questions, setQuestions] = useState<readonly unknown[]>([]);
  const task = useTask();
  const create = async (event: Event) => {
    event.preventDefault();
    const isMade = await task.run(async () =>
      onMade(await createSet(index, { name: name.trim(), namespace, questions })),
    );
    if (isMade) onClose();
  };
  const read = (files: readonly File[]) =>
    task.run(async () => {
      const [file] = files;
      if (file === undefined) return;
      setQuestions(await questionsIn(file));
      setName((typed) => typed || file.name.replace(/\.\w+$/, ''));
    });
  return (
    <Dialog title="New judgment set" onClose={onClose}>
      <form onSubmit={create}>
        <Input label="Name" value={name} onValue={setName} autocomplete="off" autofocus />
        <NamespaceInput index={index} value={namespace} onValue={setNamespace} />
        <DropZone
          label="Drop a file of questions here, or choose one"
          hint="Optional. JSON lines or a JSON list, as a set is saved."
          accept=".jsonl,.ndjson,.json"
          onFiles={(files) => void read(files)}
        />
        {questions.length > 0 && <p role="status">{plural(questions.length, 'question')}</p>}
        <ErrorBox problem={task.problem} />
        <FormActions action="Create" disabled={name.trim() === '' || task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
