// Backups of the project: made, restored to a new index, and deleted; restores with their progress.
import { useCallback, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may, project } from '../../api/session.ts';
import type { Backup, RestoreJob } from '../../api/types.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Shown } from '../../ui/feedback.tsx';
import { bytes, count, time } from '../../ui/format.ts';
import { LongList } from '../../ui/long-list.tsx';
import { PageHead } from '../../ui/page.tsx';
import { readAll } from '../../ui/paged-list.tsx';
import { useRefresh } from '../../ui/refresh.ts';
import { useResource } from '../../ui/resource.ts';
import { isBusy, State } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { CreateBackup } from './create-backup.tsx';
import { RestoreBackup } from './restore-backup.tsx';
import { Schedules } from './schedules.tsx';

type Action = { readonly kind: 'restore' | 'delete'; readonly backup: Backup };

const REFRESH_MS = 2_000;

export function BackupsScreen() {
  const [isCreating, setCreating] = useState(false);
  const [action, setAction] = useState<Action>();
  const mayList = may('control_plane::backups::list');
  const key = project.value?.id;
  const backups = useResource(mayList ? `backups ${key}` : '', (signal) =>
    readAll<Backup>('backups', { signal, rowsMax: ITEMS_MAX }),
  );
  const restores = useResource(may('control_plane::restore_jobs::list') ? `restores ${key}` : '', (signal) =>
    readAll<RestoreJob>('restore-jobs', { signal, rowsMax: ITEMS_MAX }),
  );
  const reload = useCallback(() => {
    backups.reload();
    restores.reload();
  }, []);
  const refresh = useCallback(() => {
    backups.refresh();
    restores.refresh();
  }, []);
  const all = [...(backups.value ?? []), ...(restores.value ?? [])];
  useRefresh(
    refresh,
    REFRESH_MS,
    all.some(({ status }) => isBusy(status)),
  );
  if (!mayList) return <Empty title="Your role does not list backups." />;
  return (
    <>
      <PageHead title="Backups">
        {may('control_plane::backups::create') && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Create a backup
          </button>
        )}
      </PageHead>
      <Shown of={backups}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No backups yet.">A backup is a copy of an index as it is at that moment.</Empty>
          ) : (
            <LongList
              rows={all}
              nameOf={(backup) => `${backup.name ?? ''} ${backup.source_index_name}`}
              noun={['backup', 'backups']}
            >
              {(shown) => <BackupTable backups={shown} onAction={setAction} />}
            </LongList>
          )
        }
      </Shown>
      <Schedules onRun={reload} />
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

/** A console that shows lists whole reads page after page. */
const ITEMS_MAX = 2_000;

interface BackupTableProps {
  readonly backups: readonly Backup[];
  readonly onAction: (action: Action) => void;
}

function BackupTable({ backups, onAction }: BackupTableProps) {
  const mayRestore = may('control_plane::indexes::create');
  const mayDelete = may('control_plane::backups::delete');
  const columns: readonly Column<Backup>[] = [
    { title: 'Name', cell: ({ name }) => <bdi>{name ?? '–'}</bdi>, note: ({ description }) => description },
    { title: 'Index', cell: (backup) => backup.source_index_name },
    { title: 'Made', cell: (backup) => time(backup.created_at) },
    { title: 'Records', kind: 'number', cell: (backup) => count(backup.record_count) },
    { title: 'Size', kind: 'number', cell: (backup) => bytes(backup.size_bytes) },
    { title: 'State', kind: 'long', cell: (backup) => <BackupState backup={backup} /> },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (backup) => (
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
      ),
    },
  ];
  return <Table rows={backups} columns={columns} keyOf={(backup) => backup.backup_id} />;
}

/** Lists do not say why a backup failed; its description does. */
function BackupState({ backup: { backup_id: id, status } }: { readonly backup: Backup }) {
  const described = useResource(status === 'Failed' ? `backup ${id}` : '', (signal) =>
    call<{ readonly error?: string }>('GET', `backups/${id}`, { signal, version: '2025-10' }),
  );
  const reason = described.value?.error;
  return (
    <span>
      <State name={status} />
      {reason !== undefined && <bdi class="quiet"> {reason}</bdi>}
    </span>
  );
}

const RESTORE_COLUMNS: readonly Column<RestoreJob>[] = [
  { title: 'New index', cell: (job) => job.target_index_name },
  { title: 'Started', cell: (job) => time(job.created_at) },
  {
    title: 'Progress',
    cell: ({ percent_complete: percent = 0 }) => (
      <span>
        <progress max={100} value={percent} aria-label="Progress" /> {Math.floor(percent)} %
      </span>
    ),
  },
  {
    title: 'State',
    kind: 'long',
    cell: ({ status, error }) => (
      <span>
        <State name={status} />
        {error !== undefined && <bdi class="quiet"> {error}</bdi>}
      </span>
    ),
  },
];

function Restores({ jobs }: { readonly jobs: readonly RestoreJob[] }) {
  return (
    <section>
      <h2>Restores</h2>
      <Table rows={jobs} columns={RESTORE_COLUMNS} keyOf={(job) => job.restore_job_id} />
    </section>
  );
}
