// POST /indexes/{index_name}/backup-schedules: schedules periodic backups of an index.
import { invalid } from '../../../domain/faults.ts';
import { checkName } from '../../../domain/names.ts';
import type { ControlCall, ControlEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { choice, Name } from '../indexes/body-parts.ts';
import { deserialize } from '../indexes/deserialize.ts';
import { indexName } from '../indexes/index-reply.ts';
import { IndexParams } from '../indexes/index-schemas.ts';
import { FrequencyBody, frequencyNamed, RetentionBody, retentionDays } from './backup-schedule-bodies.ts';
import { ScheduleObject } from './backup-schemas.ts';
import { scheduleToWire } from './backup-wire.ts';

const Body = Type.Object(
  {
    name: Name,
    schedule: Type.Object({ type: choice(['time-based']), frequency: FrequencyBody }),
    retention: RetentionBody,
  },
  {
    title: 'CreateBackupScheduleRequest',
    examples: [
      {
        name: 'nightly',
        schedule: { type: 'time-based', frequency: 'daily' },
        retention: { expire_after_days: 7 },
      },
    ],
  },
);

async function handle(call: ControlCall): Promise<Reply> {
  const { access, services } = call;
  const index = indexName(call);
  await services.indexes.describe(access, index);
  const { name, schedule, retention } = deserialize(Body, call);
  checkName(name);
  if (schedule.type !== 'time-based') throw invalid('schedule.type must be time-based.');
  const newSchedule = {
    name,
    frequency: frequencyNamed(schedule.frequency),
    retentionDays: retentionDays(retention),
  };
  return { status: 200, body: scheduleToWire(await services.schedules.create(access, index, newSchedule)) };
}

export const createBackupSchedule: ControlEndpoint = {
  id: 'create_backup_schedule',
  method: 'POST',
  path: '/indexes/{index_name}/backup-schedules',
  tag: 'Backup schedules',
  summary: 'Create a backup schedule',
  description:
    'Backups are named after the schedule and their time. The first runs a day, a week or a month from now, the next ones in the same interval. An index has at most one enabled schedule. Runs that fall due while the server is stopped are replaced by one backup at its start.',
  since: '2026-07',
  permission: 'control_plane::backups::create',
  errors: 'standard',
  params: IndexParams,
  body: Body,
  success: { status: 200, description: 'The new schedule.', schema: ScheduleObject },
  faults: [
    'invalid-argument',
    'body-not-json',
    'body-not-deserializable',
    'index-not-found',
    'index-not-ready',
    'schedule-exists',
  ],
  handle,
};
