// GET /console/backup-schedules: the schedules of all indexes of the project, each with its last run.
import type { ScheduleReport } from '../../../domain/backups/services.ts';
import type { ControlEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { answerPage, PAGE_QUERY, pageOf } from '../backups/backup-pages.ts';
import { ScheduleObject } from '../backups/backup-schemas.ts';
import { scheduleToWire } from '../backups/backup-wire.ts';

const OrNull = (description: string, example: string) => ({
  ...Type.Union([Type.String(), Type.Null()]),
  description,
  examples: [example],
});

const LastRun = Type.Object({
  backup_id: Type.String({ examples: ['670e8400-e29b-41d4-a716-446655440001'] }),
  status: Type.String({ enum: ['Initializing', 'Ready', 'Failed', 'Terminating'], examples: ['Ready'] }),
  created_at: Type.String({ format: 'date-time' }),
  error: OrNull('Why it is Failed.', 'The storage is full.'),
});

const LAST_RUN = {
  backup_id: '670e8400-e29b-41d4-a716-446655440001',
  status: 'Failed',
  created_at: '2026-07-01T09:30:00.000Z',
  error: 'The storage is full.',
};

const ScheduleReportObject = Type.Object(
  {
    ...ScheduleObject.properties,
    index_name: OrNull('Null while the index is being deleted.', 'films'),
    last_run: Type.Union([LastRun, Type.Null()], { description: 'Null before the first run.' }),
  },
  {
    title: 'BackupScheduleReport',
    examples: [
      {
        schedule_id: '5c6d7e8f-9a0b-4c1d-8e2f-3a4b5c6d7e8f',
        name: 'nightly',
        index_id: '3c4d5e6f-7a8b-4c9d-8e0f-1a2b3c4d5e6f',
        project_id: '2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d',
        schedule_type: 'time-based',
        frequency: 'daily',
        retention_expire_after_days: 7,
        enabled: true,
        next_scheduled_run: '2026-07-02T09:30:00.000Z',
        created_at: '2026-06-30T09:30:00.000Z',
        index_name: 'films',
        last_run: LAST_RUN,
      },
    ],
  },
);

function reportToWire({ schedule, indexName, lastRun, failure }: ScheduleReport): object {
  return {
    ...scheduleToWire(schedule),
    index_name: indexName,
    last_run:
      lastRun === null
        ? null
        : { backup_id: lastRun.id, status: lastRun.state, created_at: lastRun.createdAt, error: failure },
  };
}

export const listSchedules: ControlEndpoint = {
  id: 'list_project_backup_schedules',
  method: 'GET',
  path: '/console/backup-schedules',
  tag: 'Console',
  summary: 'List the backup schedules of a project',
  description:
    'Newest first, with what became of the last run of each. Schedules of one index are also at ' +
    '`/indexes/{index_name}/backup-schedules`. An extension of this server.',
  since: '2026-07',
  permission: 'control_plane::backups::list',
  errors: 'standard',
  query: Type.Object(PAGE_QUERY),
  success: { status: 200, description: 'A page of schedules.', schema: pageOf(ScheduleReportObject) },
  faults: ['invalid-argument'],
  handle: (call) =>
    answerPage(call, {
      boundTo: [listSchedules.id],
      list: (page) => call.services.schedules.reports(call.access, page),
      toWire: reportToWire,
    }),
};
