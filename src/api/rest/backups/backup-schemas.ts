// Schemas of backups, restore jobs and schedules in responses, and of their paths.
import { FREQUENCIES } from '../../../domain/backups/schedule.ts';
import { METRICS } from '../../../domain/vector-shape.ts';
import { type TSchema, Type } from '../../schema/type.ts';
import { choice, mapOf } from '../indexes/body-parts.ts';

const DateTime = Type.String({ format: 'date-time' });

const BACKUP = {
  backup_id: '8f9d2c6e-4b1a-4c3d-9e5f-6a7b8c9d0e1f',
  source_index_name: 'books',
  source_index_id: '3f2b8c1e-5d47-4a90-9c6e-0b1a2d3e4f50',
  cloud: 'aws',
  region: 'us-east-1',
};
const FIGURES = {
  record_count: 1200,
  namespace_count: 2,
  size_bytes: 98_304,
  tags: null,
  created_at: '2026-07-01T09:30:00.000Z',
};

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

export const BackupObject = Type.Object(
  {
    ...source,
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    status: choice(['Initializing', 'Ready', 'Failed']),
    error: Type.Optional(
      Type.String({
        description:
          'Why a described backup is Failed, or what of a Ready one was found damaged. Not a field of the public service.',
      }),
    ),
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
  },
  {
    title: 'Backup',
    examples: [
      { ...BACKUP, name: 'before-cleanup', status: 'Ready', dimension: 3, metric: 'cosine', ...FIGURES },
    ],
  },
);

const Count = nullable(Type.Integer(), 'Null until it is Ready.');

export const ScheduledBackupObject = Type.Object(
  {
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
  },
  {
    title: 'ScheduledBackup',
    examples: [
      { ...BACKUP, name: 'daily-2026-07-01', description: null, status: 'Ready', schema: null, ...FIGURES },
    ],
  },
);

export const RestoreJobObject = Type.Object(
  {
    restore_job_id: Type.String(),
    backup_id: Type.String(),
    target_index_name: Type.String(),
    target_index_id: Type.String(),
    status: choice(['Pending', 'Completed', 'Failed', 'Cancelled']),
    created_at: DateTime,
    completed_at: nullable(DateTime, 'Null until the job has ended.'),
    percent_complete: Type.Number({ minimum: 0, maximum: 100 }),
    error: Type.Optional(
      Type.String({ description: 'Why the job is Failed. Not a field of the public service.' }),
    ),
  },
  {
    title: 'RestoreJob',
    examples: [
      {
        restore_job_id: '1d2e3f40-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
        backup_id: BACKUP.backup_id,
        target_index_name: 'books-restored',
        target_index_id: '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
        status: 'Pending',
        created_at: '2026-07-01T09:30:00.000Z',
        completed_at: null,
        percent_complete: 40,
      },
    ],
  },
);

export const RestoreAnswer = Type.Object(
  { restore_job_id: Type.String(), index_id: Type.String() },
  {
    title: 'StartedRestore',
    examples: [
      {
        restore_job_id: '1d2e3f40-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
        index_id: '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
      },
    ],
  },
);

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
  {
    title: 'BackupSchedule',
    examples: [
      {
        schedule_id: '5c6d7e8f-9a0b-4c1d-8e2f-3a4b5c6d7e8f',
        name: 'nightly',
        index_id: BACKUP.source_index_id,
        project_id: '2b3c4d5e-6f70-4a8b-9c0d-1e2f3a4b5c6d',
        schedule_type: 'time-based',
        frequency: 'daily',
        retention_expire_after_days: 7,
        enabled: true,
        next_scheduled_run: '2026-07-02T09:30:00.000Z',
        created_at: '2026-07-01T09:30:00.000Z',
      },
    ],
  },
);

export const BackupParams = Type.Object({
  backup_id: Type.String({ description: 'Id of the backup.', examples: [BACKUP.backup_id] }),
});
export const RestoreJobParams = Type.Object({
  job_id: Type.String({
    description: 'Id of the restore job.',
    examples: ['1d2e3f40-5a6b-4c7d-8e9f-0a1b2c3d4e5f'],
  }),
});
export const ScheduleParams = Type.Object({
  schedule_id: Type.String({
    description: 'Id of the schedule.',
    examples: ['5c6d7e8f-9a0b-4c1d-8e2f-3a4b5c6d7e8f'],
  }),
});
