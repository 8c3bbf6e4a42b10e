// Schedules of backups: made, changed, switched off and deleted, each with its next and its last run.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { may } from '../../api/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/feedback.tsx';
import { plural, time } from '../../ui/format.ts';
import { PartHead } from '../../ui/page.tsx';
import { PagedTable, usePagedList } from '../../ui/paged-list.tsx';
import { useRefresh } from '../../ui/refresh.ts';
import { RowAction } from '../../ui/row-action.tsx';
import { isBusy, State } from '../../ui/state.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { ScheduleHistory } from './schedule-history.tsx';
import type { Schedule } from './types.ts';

type Action =
  | { readonly kind: 'create' }
  | { readonly kind: 'change' | 'history' | 'delete'; readonly schedule: Schedule };

const REFRESH_MS = 2_000;
/** Due ones start within seconds, and then show their run. */
const IDLE_REFRESH_MS = 15_000;

interface SchedulesProps {
  /** Called when a run has begun or ended: the backups have changed. */
  readonly onRun: () => void;
}

export function Schedules({ onRun }: SchedulesProps) {
  const [action, setAction] = useState<Action>();
  const schedules = usePagedList<Schedule>('console/backup-schedules');
  const { reload, refresh, value } = schedules.page;
  const isRunning = value?.data.some(({ last_run: run }) => run !== null && isBusy(run.status)) ?? false;
  useRefresh(refresh, isRunning ? REFRESH_MS : IDLE_REFRESH_MS);
  const runs = value?.data.map(({ last_run: run }) => `${run?.created_at} ${run?.status}`).join();
  const former = useRef(runs);
  useEffect(() => {
    if (former.current !== undefined && runs !== undefined && runs !== former.current) onRun();
    former.current = runs ?? former.current;
  }, [runs, onRun]);
  return (
    <section>
      <PartHead title="Schedules">
        {may('control_plane::backups::create') && (
          <button type="button" onClick={() => setAction({ kind: 'create' })}>
            Schedule backups
          </button>
        )}
      </PartHead>
      <PagedTable
        list={schedules}
        noun={['schedule', 'schedules']}
        keyOf={(schedule) => schedule.schedule_id}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Index', cell: (schedule) => schedule.index_name ?? '–' },
          { title: 'How often', cell: ({ frequency }) => frequency },
          { title: 'Kept', cell: (schedule) => plural(schedule.retention_expire_after_days, 'day') },
          {
            title: 'Next run',
            cell: ({ enabled, next_scheduled_run: next }) => (enabled ? time(next) : 'switched off'),
          },
          { title: 'Last run', kind: 'long', cell: (schedule) => <LastRun schedule={schedule} /> },
          {
            title: 'Actions',
            kind: 'actions',
            cell: (schedule) => <ScheduleActions schedule={schedule} onAction={setAction} />,
          },
        ]}
      >
        <Empty title="No schedules yet.">A schedule makes backups of an index by itself.</Empty>
      </PagedTable>
      {action !== undefined && (
        <ScheduleDialog action={action} onClose={() => setAction(undefined)} onChanged={reload} />
      )}
    </section>
  );
}

function LastRun({ schedule: { last_run: run } }: { readonly schedule: Schedule }) {
  if (run === null) return <>none yet</>;
  return (
    <span>
      <State name={run.status} /> {time(run.created_at)}
      {run.error !== null && <bdi class="quiet"> {run.error}</bdi>}
    </span>
  );
}

interface ScheduleActionsProps {
  readonly schedule: Schedule;
  readonly onAction: (action: Action) => void;
}

function ScheduleActions({ schedule, onAction }: ScheduleActionsProps) {
  const { name } = schedule;
  return (
    <span class="tools">
      <RowAction action="History" of={name} onClick={() => onAction({ kind: 'history', schedule })} />
      {may('control_plane::backups::create') && (
        <RowAction action="Change" of={name} onClick={() => onAction({ kind: 'change', schedule })} />
      )}
      {may('control_plane::backups::delete') && (
        <RowAction action="Delete" of={name} onClick={() => onAction({ kind: 'delete', schedule })} />
      )}
    </span>
  );
}

interface ScheduleDialogProps {
  readonly action: Action;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function ScheduleDialog({ action, onClose, onChanged }: ScheduleDialogProps) {
  if (action.kind === 'create') return <ScheduleForm onClose={onClose} onSaved={onChanged} />;
  const { schedule } = action;
  if (action.kind === 'change') {
    return <ScheduleForm schedule={schedule} onClose={onClose} onSaved={onChanged} />;
  }
  if (action.kind === 'history') return <ScheduleHistory schedule={schedule} onClose={onClose} />;
  return (
    <Confirm
      title="Delete the schedule"
      name={schedule.name}
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await call('DELETE', `backup-schedules/${schedule.schedule_id}`);
        onChanged();
      }}
    >
      Its backups stay until their days are over.
    </Confirm>
  );
}
