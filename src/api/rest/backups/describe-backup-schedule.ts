// GET /backup-schedules/{schedule_id}: describes a schedule.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { ScheduleObject, ScheduleParams } from './backup-schemas.ts';
import { scheduleToWire } from './backup-wire.ts';

/** The `schedule_id` of the path, which the router guarantees. */
export function scheduleId({ params }: Pick<ControlCall, 'params'>): string {
  return params.schedule_id ?? '';
}

async function handle(call: ControlCall): Promise<Reply> {
  const schedule = await call.services.schedules.describe(call.access, scheduleId(call));
  return { status: 200, body: scheduleToWire(schedule) };
}

export const describeBackupSchedule: ControlEndpoint = {
  id: 'describe_backup_schedule',
  method: 'GET',
  path: '/backup-schedules/{schedule_id}',
  tag: 'Backup schedules',
  summary: 'Describe a backup schedule',
  since: '2026-07',
  permission: 'control_plane::backups::describe',
  errors: 'standard',
  params: ScheduleParams,
  success: { status: 200, description: 'The schedule.', schema: ScheduleObject },
  faults: ['schedule-not-found'],
  handle,
};
