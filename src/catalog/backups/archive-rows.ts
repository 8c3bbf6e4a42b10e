// Converts archives and schedules to rows and back. Trusts the rows: only the catalog writes them.
import type { Archive } from '../../domain/backups/archive.ts';
import type { BackupSchedule } from '../../domain/backups/schedule.ts';
import { jsonText, parseJsonText } from '../../domain/json.ts';
import type { ArchiveTable, BackupScheduleTable } from '../schema.ts';

export function archiveRow(archive: Archive): ArchiveTable {
  return {
    id: archive.id,
    face: archive.face,
    project_id: archive.projectId,
    name: archive.name,
    description: archive.description,
    state: archive.state,
    source: jsonText(archive.source),
    source_index_id: archive.source.id,
    source_index_name: archive.source.name,
    source_deleted_at: archive.sourceDeletedAt,
    record_count: archive.recordCount,
    namespace_count: archive.namespaceCount,
    size_bytes: archive.sizeBytes,
    manifest_sha256: archive.manifestSha256,
    schedule_id: archive.scheduleId,
    scheduled_at: archive.scheduledAt,
    expires_at: archive.expiresAt,
    created_at: archive.createdAt,
  };
}

export function archiveOf(row: ArchiveTable): Archive {
  return {
    id: row.id,
    face: row.face,
    projectId: row.project_id,
    name: row.name,
    description: row.description,
    state: row.state,
    source: sourceOf(row.source),
    sourceDeletedAt: row.source_deleted_at,
    recordCount: row.record_count,
    namespaceCount: row.namespace_count,
    sizeBytes: row.size_bytes,
    manifestSha256: row.manifest_sha256,
    scheduleId: row.schedule_id,
    scheduledAt: row.scheduled_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}

export function scheduleRow(schedule: BackupSchedule): BackupScheduleTable {
  return {
    id: schedule.id,
    project_id: schedule.projectId,
    index_id: schedule.indexId,
    name: schedule.name,
    frequency: schedule.frequency,
    retention_days: schedule.retentionDays,
    enabled: Number(schedule.enabled),
    anchor_at: schedule.anchorAt,
    next_run_at: schedule.nextRunAt,
    created_at: schedule.createdAt,
  };
}

export function scheduleOf(row: BackupScheduleTable): BackupSchedule {
  return {
    id: row.id,
    projectId: row.project_id,
    indexId: row.index_id,
    name: row.name,
    frequency: row.frequency,
    retentionDays: row.retention_days,
    enabled: row.enabled === 1,
    anchorAt: row.anchor_at,
    nextRunAt: row.next_run_at,
    createdAt: row.created_at,
  };
}

/** Rows of 0.1.0 have no `documents`. */
function sourceOf(text: ArchiveTable['source']): Archive['source'] {
  const source = parseJsonText(text);
  return { ...source, documents: source.documents ?? null };
}
