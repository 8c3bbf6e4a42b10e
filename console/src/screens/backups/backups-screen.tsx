// Backups of the project: made, restored to a new index, and deleted; restores with their progress.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may, project } from '../../api/session.ts';
import type { Backup, RestoreJob } from '../../api/types.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { bytes, count, time } from '../../ui/format.ts';
import { useResource } from '../../ui/resource.ts';
import { CreateBackup } from './create-backup.tsx';
import { RestoreBackup } from './restore-backup.tsx';

interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination?: { readonly next?: string } | null;
}

type Action = { readonly kind: 'restore' | 'delete'; readonly backup: Backup };

const REFRESH_MS = 2_000;
const RUNNING: ReadonlySet<string> = new Set(['Initializing', 'Pending', 'Running', 'InProgress']);

export function BackupsScreen() {
  const [isCreating, setCreating] = useState(false);
  const [action, setAction] = useState<Action>();
  const mayList = may('control_plane::backups::list');
  const key = project.value?.id;
  const backups = useResource(mayList ? `backups ${key}` : '', (signal) =>
    allPages<Backup>('backups', signal),
  );
  const restores = useResource(may('control_plane::restore_jobs::list') ? `restores ${key}` : '', (signal) =>
    allPages<RestoreJob>('restore-jobs', signal),
  );
  const reload = () => {
    backups.reload();
    restores.reload();
  };
  const isRunning = [...(backups.value ?? []), ...(restores.value ?? [])].some(({ status }) =>
    RUNNING.has(status),
  );
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (!mayList) return <Empty title="Your role does not list backups." />;
  return (
    <>
      <div class="page-head">
        <h1>Backups</h1>
        {may('control_plane::backups::create') && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Create a backup
          </button>
        )}
      </div>
      <Shown of={backups}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No backups yet.">A backup is a copy of an index as it is at that moment.</Empty>
          ) : (
            <BackupTable backups={all} onAction={setAction} />
          )
        }
      </Shown>
      {restores.value !== undefined && restores.value.length > 0 && <Restores jobs={restores.value} />}
      {isCreating && <CreateBackup onClose={() => setCreating(false)} onCreated={reload} />}
      {action?.kind === 'restore' && (
        <RestoreBackup backup={action.backup} onClose={() => setAction(undefined)} onStarted={reload} />
      )}
      {action?.kind === 'delete' && (
        <Confirm
          title="Delete the backup"
          name={action.backup.name ?? action.backup.source_index_name}
          action="Delete"
          onConfirm={async () => {
            await call('DELETE', `backups/${action.backup.backup_id}`);
            reload();
          }}
          onClose={() => setAction(undefined)}
        >
          The backup of {time(action.backup.created_at)} cannot be brought back.
        </Confirm>
      )}
    </>
  );
}

/** Lists are bounded on the server; a console that shows them whole reads page after page. */
async function allPages<Item>(path: string, signal: AbortSignal): Promise<readonly Item[]> {
  const items: Item[] = [];
  let token: string | undefined;
  do {
    const query = { limit: '100', ...(token === undefined ? {} : { paginationToken: token }) };
    const page: Page<Item> = await call('GET', path, { query, signal });
    items.push(...page.data);
    token = page.pagination?.next;
  } while (token !== undefined && items.length < ITEMS_MAX);
  return items;
}

const ITEMS_MAX = 2_000;

interface BackupTableProps {
  readonly backups: readonly Backup[];
  readonly onAction: (action: Action) => void;
}

function BackupTable({ backups, onAction }: BackupTableProps) {
  const mayRestore = may('control_plane::indexes::create');
  const mayDelete = may('control_plane::backups::delete');
  return (
    <div class="scroll-x">
      <table class="cards">
        <thead>
          <tr>
            <th>Name</th>
            <th>Index</th>
            <th>Made</th>
            <th class="number">Records</th>
            <th class="number">Size</th>
            <th>State</th>
            <th class="unlabelled">Actions</th>
          </tr>
        </thead>
        <tbody>
          {backups.map((backup) => (
            <tr key={backup.backup_id}>
              <td data-label="Name" title={backup.description}>
                <bdi>{backup.name ?? '–'}</bdi>
              </td>
              <td data-label="Index">{backup.source_index_name}</td>
              <td data-label="Made">{time(backup.created_at)}</td>
              <td data-label="Records" class="number">
                {count(backup.record_count)}
              </td>
              <td data-label="Size" class="number">
                {bytes(backup.size_bytes)}
              </td>
              <td data-label="State">
                <span class={`state ${stateClass(backup.status)}`}>{backup.status}</span>
              </td>
              <td data-label="Actions">
                <span class="tools">
                  {mayRestore && backup.status === 'Ready' && (
                    <button type="button" class="small" onClick={() => onAction({ kind: 'restore', backup })}>
                      Restore
                    </button>
                  )}
                  {mayDelete && (
                    <button type="button" class="small" onClick={() => onAction({ kind: 'delete', backup })}>
                      Delete
                    </button>
                  )}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Restores({ jobs }: { readonly jobs: readonly RestoreJob[] }) {
  return (
    <section>
      <h2>Restores</h2>
      <div class="scroll-x">
        <table class="cards">
          <thead>
            <tr>
              <th>New index</th>
              <th>Started</th>
              <th>Progress</th>
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {jobs.map((job) => (
              <tr key={job.restore_job_id}>
                <td data-label="New index">{job.target_index_name}</td>
                <td data-label="Started">{time(job.created_at)}</td>
                <td data-label="Progress">{Math.floor(job.percent_complete ?? 0)} %</td>
                <td data-label="State">
                  <span class={`state ${stateClass(job.status)}`}>{job.status}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function stateClass(status: string): string {
  if (status === 'Ready' || status === 'Completed') return 'good';
  return RUNNING.has(status) ? 'busy' : 'bad';
}
