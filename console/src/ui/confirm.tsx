// Asks before something that cannot be undone: the person types the name of what goes.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Action } from './action.ts';
import { Dialog } from './dialog.tsx';
import { ErrorBox } from './feedback.tsx';
import { Input } from './field.tsx';
import { FormActions } from './form-actions.tsx';
import { typeableText } from './format.ts';
import { useTask } from './task.ts';

export interface ConfirmProps {
  readonly title: string;
  /** What has to be typed, as it is or as it is shown. */
  readonly name: string;
  readonly action: string;
  readonly onConfirm: (action: Action) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Confirm({ title, name, action, onConfirm, onClose, children }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const task = useTask();
  const shown = typeableText(name);
  const isNamed = typed === name || typed === shown;
  const confirm = async (event: Event) => {
    event.preventDefault();
    if (isNamed && (await task.run(onConfirm))) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={confirm}>
        <p>{children}</p>
        <Input
          label={`Type ${shown} to confirm`}
          value={typed}
          onValue={setTyped}
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
        <ErrorBox problem={task.problem} />
        <FormActions action={action} disabled={!isNamed || task.isRunning} onCancel={onClose} isDangerous />
      </form>
    </Dialog>
  );
}
