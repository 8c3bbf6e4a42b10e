// Schemas of backups, restore jobs and schedules in responses, and of their paths.
import { FREQUENCIES } from '../../../domain/backups/schedule.ts';
import { METRICS } from '../../../domain/vector-shape.ts';
import { type TSchema, Type } from '../../schema/type.ts';
import { choice, mapOf } from '../indexes/body-parts.ts';

const DateTime = Type.String({ format: 'date-time' });
const since = 'Since 2026-07.';

function nullable<Schema extends TSchema>(schema: Schema, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

const Tags = nullable(mapOf(Type.String(), 'Tags of the source index.'));
const Fields = Type.Object(
  { fields: mapOf(Type.Object({}, { additionalProperties: true }), 'By field name.') },
  {
    description:
      'Up to 2026-04 the metadata schema, where the index has one; since 2026-07 the schema of the index.',
  },
);

const source = {
  backup_id: Type.String(),
  source_index_name: Type.String(),
  source_index_id: Type.String(),
  cloud: Type.String(),
  region: Type.String(),
};

export const BackupObject = Type.Object({
  ...source,
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  status: choice(['Initializing', 'Ready', 'Failed']),
  dimension: Type.Optional(Type.Integer({ description: 'Absent on sparse indexes.' })),
  metric: choice(METRICS),
  schema: Type.Optional(Fields),
  record_count: Type.Optional(
    Type.Integer({ description: 'Present once the backup is Ready, like the next two fields.' }),
  ),
  namespace_count: Type.Optional(Type.Integer()),
  size_bytes: Type.Optional(Type.Integer({ description: 'The size in storage.' })),
  tags: Tags,
  created_at: DateTime,
  source_index_deleted_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'Present once the source index is deleted.' }),
  ),
});

const Count = nullable(Type.Integer(), 'Null until it is Ready.');

export const ScheduledBackupObject = Type.Object({
  ...source,
  name: Type.String(),
  description: nullable(Type.String()),
  status: choice(['Scheduled', 'Initializing', 'Ready', 'Failed']),
  schema: nullable(Fields),
  record_count: Count,
  namespace_count: Count,
  size_bytes: Count,
  tags: Tags,
  created_at: DateTime,
  scheduled_execution_at: Type.Optional(
    Type.String({ format: 'date-time', description: 'The planned start; for Scheduled only.' }),
  ),
});

export const RestoreJobObject = Type.Object({
  restore_job_id: Type.String(),
  backup_id: Type.String(),
  target_index_name: Type.String(),
  target_index_id: Type.String(),
  status: choice(['Pending', 'Completed', 'Failed', 'Cancelled']),
  created_at: DateTime,
  completed_at: nullable(DateTime, 'Null until the job has ended.'),
  percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
});

export const RestoreAnswer = Type.Object({ restore_job_id: Type.String(), index_id: Type.String() });

export const ScheduleObject = Type.Object(
  {
    schedule_id: Type.String(),
    name: Type.String(),
    index_id: Type.String(),
    project_id: Type.String(),
    schedule_type: choice(['time-based']),
    frequency: choice(FREQUENCIES),
    retention_expire_after_days: Type.Integer(),
    enabled: Type.Boolean(),
    next_scheduled_run: nullable(DateTime, 'Null if the schedule is disabled.'),
    created_at: DateTime,
  },
  { description: since },
);

export const BackupParams = Type.Object({ backup_id: Type.String({ description: 'Id of the backup.' }) });
export const RestoreJobParams = Type.Object({
  job_id: Type.String({ description: 'Id of the restore job.' }),
});
export const ScheduleParams = Type.Object({
  schedule_id: Type.String({ description: 'Id of the schedule.' }),
});
