// The quota of a project or an API key: what is used, what holds, and what an owner of the organization sets.
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { Answers } from '../../api/generated/answers.ts';
import { mayInOrganization } from '../../api/session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorBox, Shown } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { count } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';
import { Table } from '../../ui/table.tsx';
import { useTask } from '../../ui/task.ts';

const BOUNDS = [
  { name: 'requests_per_second', title: 'Requests per second' },
  { name: 'write_megabytes_per_second', title: 'Megabytes of writes per second' },
  { name: 'records', title: 'Records' },
  { name: 'storage_megabytes', title: 'Megabytes on disk' },
  { name: 'indexes', title: 'Indexes' },
  { name: 'files', title: 'Files of assistants' },
];
const MAX = 999_999_999;

type Bounds = Readonly<Record<string, number | null>>;

/** Null in `quota`: as the settings of the server say; in `effective`: no limit. Projects alone have `usage`. */
type Quota = Answers['fetch_project_quota'] | Answers['fetch_api_key_quota'];

interface QuotaDialogProps {
  /** Whose it is. */
  readonly name: string;
  /** Of the endpoint. */
  readonly path: string;
  readonly onClose: () => void;
}

export function QuotaDialog({ name, path, onClose }: QuotaDialogProps) {
  const quota = useResource(`quota ${path}`, (signal) => call<Quota>('GET', path, { signal }));
  return (
    <Dialog title={`Quota of ${name}`} onClose={onClose} isWide>
      <Shown of={quota}>
        {(value) => (
          <>
            <Holding quota={value} />
            {mayInOrganization('admin::organization::update') && (
              <QuotaForm quota={value} path={path} onClose={onClose} onSet={quota.reload} />
            )}
          </>
        )}
      </Shown>
    </Dialog>
  );
}

function boundsOf({ quota }: Quota): typeof BOUNDS {
  return BOUNDS.filter(({ name }) => Object.hasOwn(quota, name));
}

function Holding({ quota }: { readonly quota: Quota }) {
  const effective: Bounds = quota.effective;
  const usage: Bounds | undefined = 'usage' in quota ? quota.usage : undefined;
  return (
    <Table
      rows={boundsOf(quota)}
      keyOf={({ name }) => name}
      hasCards={false}
      columns={[
        { title: 'Quota', cell: ({ title }) => title },
        usage !== undefined && { title: 'Used', kind: 'number', cell: ({ name }) => count(usage[name]) },
        {
          title: 'Limit',
          kind: 'number',
          cell: ({ name }) => ((effective[name] ?? null) === null ? 'none' : count(effective[name])),
        },
      ]}
    />
  );
}

interface QuotaFormProps {
  readonly quota: Quota;
  readonly path: string;
  readonly onClose: () => void;
  readonly onSet: () => void;
}

function QuotaForm({ quota, path, onClose, onSet }: QuotaFormProps) {
  const bounds = boundsOf(quota);
  const own: Bounds = quota.quota;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(bounds.map(({ name }) => [name, String(own[name] ?? '')])),
  );
  const task = useTask();
  const isSet = bounds.some(({ name }) => (own[name] ?? null) !== null);
  const set = (body: object) =>
    task.run(async () => {
      await call('PUT', path, { body });
      onSet();
    });
  const submit = (event: Event) => {
    event.preventDefault();
    const given = Object.entries(typed).filter(([, value]) => value !== '');
    void set(Object.fromEntries(given.map(([name, value]) => [name, Number(value)])));
  };
  const remove = async () => {
    if (await set({})) setTyped({});
  };
  return (
    <form onSubmit={submit}>
      <p class="quiet">Empty: as the settings of the server say. 0: no limit. It holds at once.</p>
      <div class="bench-form">
        {bounds.map(({ name, title }) => (
          <Input
            key={name}
            label={title}
            type="number"
            min="0"
            max={String(MAX)}
            value={typed[name] ?? ''}
            onValue={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
      </div>
      <ErrorBox problem={task.problem} />
      <div class="actions">
        <button type="button" onClick={onClose}>
          Done
        </button>
        <button type="button" disabled={!isSet || task.isRunning} onClick={() => void remove()}>
          Remove the quota
        </button>
        <button type="submit" class="main" disabled={task.isRunning}>
          Set the quota
        </button>
      </div>
    </form>
  );
}
