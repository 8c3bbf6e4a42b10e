// GET /backup-schedules/{schedule_id}/history: lists the past and the planned backups of a schedule, in pages.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { answerPage, PAGE_QUERY, pageOf } from './backup-pages.ts';
import { ScheduledBackupObject, ScheduleParams } from './backup-schemas.ts';
import { scheduledBackupToWire } from './backup-wire.ts';
import { scheduleId } from './describe-backup-schedule.ts';

async function handle(call: ControlCall): Promise<Reply> {
  const id = scheduleId(call);
  return answerPage(call, {
    boundTo: [listBackupScheduleHistory.id, id],
    list: (page) => call.services.schedules.history(call.access, id, page),
    toWire: (backup) => scheduledBackupToWire(backup, call.version),
  });
}

export const listBackupScheduleHistory: ControlEndpoint = {
  id: 'list_backup_schedule_history',
  method: 'GET',
  path: '/backup-schedules/{schedule_id}/history',
  tag: 'Backup schedules',
  summary: 'List the backups of a schedule',
  description: 'Newest first, starting with the planned backup.',
  since: '2026-07',
  permission: 'control_plane::backups::list',
  errors: 'standard',
  params: ScheduleParams,
  query: Type.Object(PAGE_QUERY),
  success: { status: 200, description: 'A page of backups.', schema: pageOf(ScheduledBackupObject) },
  faults: ['invalid-argument', 'schedule-not-found'],
  handle,
};
