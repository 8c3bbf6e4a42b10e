// The wire form of backups, restore jobs and schedules.
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import type { Archive } from '../../../domain/backups/archive.ts';
import type { BackupSchedule } from '../../../domain/backups/schedule.ts';
import type { RestoreJob } from '../../../domain/backups/services.ts';
import { isActive } from '../../../domain/jobs.ts';
import { indexToWire } from '../indexes/index-wire.ts';

type Json = Readonly<Record<string, unknown>>;

/** @param error why it is Failed, or what of it is damaged; null leaves the field out */
export function backupToWire(archive: Archive, version: RequestedVersion, error: string | null = null): Json {
  const { name, description, source, sourceDeletedAt } = archive;
  const schema = schemaOf(archive, version);
  return {
    ...sourceToWire(archive),
    ...(name === null ? {} : { name }),
    ...(description === null ? {} : { description }),
    status: archive.state,
    ...(error === null ? {} : { error }),
    ...(source.dimension === null ? {} : { dimension: source.dimension }),
    metric: source.metric,
    ...(schema === null ? {} : { schema }),
    ...(archive.state === 'Ready' ? figuresToWire(archive) : {}),
    created_at: archive.createdAt,
    ...(sourceDeletedAt === null ? {} : { source_index_deleted_at: sourceDeletedAt }),
  };
}

export function scheduledBackupToWire(archive: Archive, version: RequestedVersion): Json {
  const { name, description, scheduledAt } = archive;
  return {
    ...sourceToWire(archive),
    name,
    description,
    status: archive.state,
    schema: schemaOf(archive, version),
    ...(archive.state === 'Ready'
      ? figuresToWire(archive)
      : { record_count: null, namespace_count: null, size_bytes: null }),
    created_at: archive.createdAt,
    ...(scheduledAt === null ? {} : { scheduled_execution_at: scheduledAt }),
  };
}

/** A job that is being retried is still Pending: callers wait for its end. */
export function restoreJobToWire(job: RestoreJob): Json {
  const { archiveId, indexId, indexName } = job.input;
  return {
    restore_job_id: job.id,
    backup_id: archiveId,
    target_index_name: indexName,
    target_index_id: indexId,
    status: isActive(job) ? 'Pending' : job.state,
    created_at: job.createdAt,
    completed_at: job.finishedAt,
    percent_complete: job.percent,
    ...(job.state === 'Failed' && job.error !== null ? { error: job.error } : {}),
  };
}

export function scheduleToWire(schedule: BackupSchedule): Json {
  return {
    schedule_id: schedule.id,
    name: schedule.name,
    index_id: schedule.indexId,
    project_id: schedule.projectId,
    schedule_type: 'time-based',
    frequency: schedule.frequency,
    retention_expire_after_days: schedule.retentionDays,
    enabled: schedule.enabled,
    next_scheduled_run: schedule.nextRunAt,
    created_at: schedule.createdAt,
  };
}

function sourceToWire({ id, source }: Archive): Json {
  const { deployment, tags } = source;
  // Backups are of serverless indexes alone; others have no region to name.
  const place = deployment.kind === 'serverless' ? deployment : { cloud: '', region: '' };
  return {
    backup_id: id,
    source_index_name: source.name,
    source_index_id: source.id,
    cloud: place.cloud,
    region: place.region,
    tags: Object.keys(tags).length === 0 ? null : tags,
  };
}

function figuresToWire({ recordCount, namespaceCount, sizeBytes }: Archive): Json {
  return { record_count: recordCount, namespace_count: namespaceCount, size_bytes: sizeBytes };
}

function schemaOf({ source }: Archive, version: RequestedVersion): unknown {
  if (isAtLeast(version, '2026-07')) return indexToWire(source, '', version).schema;
  return source.deployment.kind === 'pod' ? null : source.deployment.metadataSchema;
}
