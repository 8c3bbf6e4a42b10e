// PATCH /backup-schedules/{schedule_id}: changes the frequency or the retention, or enables and disables a schedule.
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { deserialize } from '../indexes/deserialize.ts';
import { FrequencyBody, frequencyNamed, RetentionBody, retentionDays } from './backup-schedule-bodies.ts';
import { ScheduleObject, ScheduleParams } from './backup-schemas.ts';
import { scheduleToWire } from './backup-wire.ts';
import { scheduleId } from './describe-backup-schedule.ts';

const Body = Type.Object(
  {
    frequency: Type.Optional(FrequencyBody),
    retention: Type.Optional(RetentionBody),
    enabled: Type.Optional(Type.Boolean()),
  },
  { title: 'UpdateBackupScheduleRequest', examples: [{ frequency: 'weekly', enabled: true }] },
);

async function handle(call: ControlCall): Promise<Reply> {
  const { access, services } = call;
  const id = scheduleId(call);
  await services.schedules.describe(access, id);
  const { frequency, retention, enabled } = deserialize(Body, call);
  const schedule = await services.schedules.update(access, id, {
    ...(frequency === undefined ? {} : { frequency: frequencyNamed(frequency) }),
    ...(retention === undefined ? {} : { retentionDays: retentionDays(retention) }),
    ...(enabled === undefined ? {} : { enabled }),
  });
  return { status: 200, body: scheduleToWire(schedule) };
}

export const updateBackupSchedule: ControlEndpoint = {
  id: 'update_backup_schedule',
  method: 'PATCH',
  path: '/backup-schedules/{schedule_id}',
  tag: 'Backup schedules',
  summary: 'Update a backup schedule',
  description:
    'Fields absent from the body keep their values. A new frequency counts from now; a new retention also applies to existing backups; enabling a schedule starts a backup at once.',
  since: '2026-07',
  permission: 'control_plane::backups::create',
  errors: 'standard',
  params: ScheduleParams,
  body: Body,
  success: { status: 200, description: 'The changed schedule.', schema: ScheduleObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'schedule-not-found',
    'schedule-exists',
  ],
  handle,
};
