// The service for backups and restores: stores rows at once and leaves the work to jobs.
import type { Catalog, Job, Page, PageQuery } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import { type Archive, NO_FIGURES } from '../../domain/backups/archive.ts';
import {
  type RequestedRestore,
  requireBackupSource,
  restoredIndex,
} from '../../domain/backups/archive-rules.ts';
import type { BackupLabels, Backups, RestoreInput, RestoreJob } from '../../domain/backups/services.ts';
import { withoutModelChange } from '../../domain/embedding/model-change.ts';
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import { jobOfKind } from '../../domain/jobs.ts';
import type { JobQueue } from '../../jobs/port.ts';
import type { IndexProvisioner } from '../indexes/index-lifecycle.ts';
import { damageOf } from './damaged-archives.ts';
import { ARCHIVE_JOB, ARCHIVE_REMOVAL_JOB, newJob, RESTORE_JOB } from './job-kinds.ts';

export interface BackupServiceParts {
  readonly catalog: Pick<Catalog, 'archives' | 'jobs' | 'schedules' | 'settings'>;
  readonly indexes: Pick<IndexLifecycle, 'describe'> & Pick<IndexProvisioner, 'provision' | 'abandon'>;
  readonly jobs: Pick<JobQueue, 'wake'>;
  readonly quotas?: GrowthQuota;
}

export interface GrowthQuota {
  /** Called to begin what gives a project so many records and bytes more. @throws quota-exceeded and what `begin` does */
  admitCopy<Result>(
    access: ProjectAccess,
    copied: Pick<Archive, 'recordCount' | 'sizeBytes'>,
    begin: () => Promise<Result>,
  ): Promise<Result>;
}

export class BackupService implements Backups {
  readonly #parts: BackupServiceParts;

  constructor(parts: BackupServiceParts) {
    this.#parts = parts;
  }

  async create(access: ProjectAccess, indexName: string, labels: BackupLabels): Promise<Archive> {
    const source = await this.#parts.indexes.describe(access, indexName);
    requireBackupSource(source);
    const archive = newArchive(source, { face: 'backup', ...labels });
    await insertArchive(this.#parts, archive);
    return archive;
  }

  async describe({ projectId }: ProjectAccess, id: string): Promise<Archive> {
    const archive = await this.#parts.catalog.archives.find(id);
    const isVisible =
      archive?.projectId === projectId &&
      archive.face === 'backup' &&
      archive.state !== 'Scheduled' &&
      archive.state !== 'Terminating';
    if (!isVisible) throw fault('backup-not-found', { id });
    return archive;
  }

  async problemOf(backup: Archive): Promise<string | null> {
    const { catalog } = this.#parts;
    if (backup.state !== 'Ready') return failureOf(catalog, backup);
    const damage = await damageOf(catalog.settings, backup);
    return damage === null ? null : `The backup is damaged: ${damage}.`;
  }

  list({ projectId }: ProjectAccess, page: PageQuery): Promise<Page<Archive>> {
    return this.#parts.catalog.archives.list({ projectId, face: 'backup' }, page);
  }

  async listOf(
    access: ProjectAccess,
    { indexName, includeDeleted }: { readonly indexName: string; readonly includeDeleted: boolean },
    page: PageQuery,
  ): Promise<Page<Archive>> {
    const { archives } = this.#parts.catalog;
    const { projectId } = access;
    if (includeDeleted) return archives.list({ projectId, face: 'backup', sourceIndexName: indexName }, page);
    const index = await this.#parts.indexes.describe(access, indexName);
    if (index.state === 'Terminating') throw fault('index-not-found', { name: indexName });
    return archives.list({ projectId, face: 'backup', sourceIndexId: index.id }, page);
  }

  async remove(access: ProjectAccess, id: string): Promise<void> {
    await beginRemoval(this.#parts, await this.describe(access, id));
  }

  async restore(access: ProjectAccess, id: string, requested: RequestedRestore): Promise<RestoreJob> {
    const archive = await this.describe(access, id);
    if (archive.state !== 'Ready') throw fault('backup-not-ready', { id });
    const { quotas, indexes } = this.#parts;
    const begin = async () => {
      const index = await indexes.provision(access, restoredIndex(archive, requested));
      return beginRestore(this.#parts, { archive, index, kind: RESTORE_JOB });
    };
    return quotas === undefined ? begin() : quotas.admitCopy(access, archive, begin);
  }

  async describeRestore({ projectId }: ProjectAccess, id: string): Promise<RestoreJob> {
    const job = await this.#parts.catalog.jobs.find({ projectId, kind: RESTORE_JOB, id });
    if (job === null) throw fault('restore-job-not-found', { id });
    return restoreJobOf(job);
  }

  async listRestores({ projectId }: ProjectAccess, page: PageQuery): Promise<Page<RestoreJob>> {
    const { items, next } = await this.#parts.catalog.jobs.list({ projectId, kind: RESTORE_JOB }, page);
    return { items: items.map(restoreJobOf), next };
  }
}

/** Returns a new archive of the index in its present state. */
export function newArchive(source: Index, labels: Pick<Archive, 'face' | 'name' | 'description'>): Archive {
  return {
    id: newId(),
    projectId: source.projectId,
    ...labels,
    state: 'Initializing',
    source: withoutModelChange(source),
    ...NO_FIGURES,
    sourceDeletedAt: null,
    manifestSha256: null,
    scheduleId: null,
    scheduledAt: null,
    expiresAt: null,
    createdAt: new Date().toISOString(),
  };
}

/** Returns the job that creates an archive. */
export function archiveJob({ id, projectId, source }: Archive) {
  return newJob({ kind: ARCHIVE_JOB, projectId, indexId: source.id, subject: id, input: { archiveId: id } });
}

/** @throws index-not-found, name-taken */
export async function insertArchive({ catalog, jobs }: BackupServiceParts, archive: Archive): Promise<void> {
  await catalog.archives.insert(archive, archiveJob(archive));
  jobs.wake();
}

/** @throws pending-restore-jobs */
export async function beginRemoval(
  {
    catalog,
    jobs,
  }: { readonly catalog: Pick<Catalog, 'archives'>; readonly jobs: BackupServiceParts['jobs'] },
  archive: Archive,
): Promise<void> {
  const { id, projectId } = archive;
  const about = { projectId, indexId: null, subject: id };
  await catalog.archives.beginRemoval(
    archive,
    newJob({ kind: ARCHIVE_REMOVAL_JOB, ...about, input: { archiveId: id } }),
  );
  jobs.wake();
}

/** Why a backup is Failed; null for others, and once the catalog has forgotten the job. */
export async function failureOf(
  { jobs }: BackupServiceParts['catalog'],
  { id, projectId, state }: Archive,
): Promise<string | null> {
  if (state !== 'Failed') return null;
  const about = { projectId, kind: ARCHIVE_JOB, subject: id };
  const { items } = await jobs.list(about, { limit: 1, after: null });
  return items[0]?.error ?? null;
}

/** Stores the job that fills `index`; on failure, removes the index again. @throws backup-not-ready */
export async function beginRestore(
  { catalog, indexes, jobs }: BackupServiceParts,
  { archive, index, kind }: { readonly archive: Archive; readonly index: Index; readonly kind: string },
): Promise<RestoreJob> {
  const { projectId } = index;
  const input: RestoreInput = { archiveId: archive.id, indexId: index.id, indexName: index.name };
  const job = newJob({ kind, projectId, indexId: index.id, subject: archive.id, input });
  try {
    const stored = await catalog.archives.beginRestore(archive.id, job);
    jobs.wake();
    return restoreJobOf(stored);
  } catch (error) {
    await indexes.abandon(index.id);
    throw error;
  }
}

/** Trusts the row: only `beginRestore` creates jobs of these kinds. */
function restoreJobOf(job: Job): RestoreJob {
  return jobOfKind<RestoreInput>(job);
}
