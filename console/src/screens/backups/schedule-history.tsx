// The planned run of a schedule and those before it, as a timeline.
import { Dialog } from '../../ui/dialog.tsx';
import { Empty } from '../../ui/feedback.tsx';
import { bytes, count, time } from '../../ui/format.ts';
import { PagedTable, usePagedList } from '../../ui/paged-list.tsx';
import { State } from '../../ui/state.tsx';
import type { Schedule, ScheduledBackup } from './types.ts';

interface ScheduleHistoryProps {
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

export function ScheduleHistory({ schedule, onClose }: ScheduleHistoryProps) {
  const runs = usePagedList<ScheduledBackup>(`backup-schedules/${schedule.schedule_id}/history`);
  return (
    <Dialog title={`Runs of ${schedule.name}`} onClose={onClose} isWide>
      <PagedTable
        list={runs}
        noun={['run', 'runs']}
        keyOf={(run) => run.backup_id}
        columns={[
          { title: 'When', cell: (run) => time(run.scheduled_execution_at ?? run.created_at) },
          { title: 'State', cell: ({ status }) => <State name={status} /> },
          { title: 'Backup', kind: 'long', cell: ({ name }) => <bdi>{name}</bdi> },
          { title: 'Records', kind: 'number', cell: (run) => count(run.record_count) },
          { title: 'Size', kind: 'number', cell: (run) => bytes(run.size_bytes) },
        ]}
      >
        <Empty title="No runs." />
      </PagedTable>
    </Dialog>
  );
}
