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

const ScheduleReportObject = Type.Object({
  ...ScheduleObject.properties,
  index_name: OrNull('Null while the index is being deleted.', 'films'),
  last_run: Type.Union([LastRun, Type.Null()], { description: 'Null before the first run.' }),
});

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
