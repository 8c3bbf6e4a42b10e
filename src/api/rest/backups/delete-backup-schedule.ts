// DELETE /backup-schedules/{schedule_id}: deletes a schedule.
import type { ControlEndpoint } from '../../endpoint.ts';
import { ScheduleParams } from './backup-schemas.ts';
import { scheduleId } from './describe-backup-schedule.ts';

export const deleteBackupSchedule: ControlEndpoint = {
  id: 'delete_backup_schedule',
  method: 'DELETE',
  path: '/backup-schedules/{schedule_id}',
  tag: 'Backup schedules',
  summary: 'Delete a backup schedule',
  description: 'Its backups stay until they expire.',
  since: '2026-07',
  permission: 'control_plane::backups::delete',
  errors: 'standard',
  params: ScheduleParams,
  success: { status: 204, description: 'The schedule is deleted.' },
  faults: ['schedule-not-found'],
  handle: async (call) => {
    await call.services.schedules.remove(call.access, scheduleId(call));
    return { status: 204 };
  },
};
