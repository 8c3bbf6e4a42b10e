// Creates a service account with its roles.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { FormActions } from '../../ui/form-actions.tsx';
import { useTask } from '../../ui/task.ts';
import { GrantFields, type Grants, grantsToWire } from './grants.tsx';
import type { ServiceAccountWithSecret } from './types.ts';

interface CreateServiceAccountProps {
  readonly onClose: () => void;
  readonly onCreated: (made: ServiceAccountWithSecret) => void;
}

export function CreateServiceAccount({ onClose, onCreated }: CreateServiceAccountProps) {
  const [name, setName] = useState('');
  const [grants, setGrants] = useState<Grants>({ organization: '', projects: [] });
  const task = useTask();
  const create = (event: Event) => {
    event.preventDefault();
    const body = { name, role_bindings: grantsToWire(grants) };
    void task.run(async () =>
      onCreated(await call<ServiceAccountWithSecret>('POST', 'admin/service-accounts', { body })),
    );
  };
  return (
    <Dialog title="Create a service account" onClose={onClose}>
      <form onSubmit={create}>
        <Input label="Name" value={name} onValue={setName} required autocomplete="off" autofocus />
        <GrantFields grants={grants} onGrants={setGrants} />
        <ErrorBox problem={task.problem} />
        <FormActions action="Create" disabled={task.isRunning} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
