// The services for backups, restores, schedules and collections that APIs call.
import type { ProjectAccess } from '../access.ts';
import type { Page, PageQuery } from '../administration/pages.ts';
import type { NewIndex } from '../index-lifecycle.ts';
import type { Index } from '../index-model.ts';
import type { Job } from '../jobs.ts';
import type { Archive } from './archive.ts';
import type { RequestedRestore } from './archive-rules.ts';
import type { BackupSchedule, Frequency } from './schedule.ts';

export interface BackupLabels {
  readonly name: string | null;
  readonly description: string | null;
}

export interface RestoreInput {
  readonly archiveId: string;
  readonly indexId: string;
  readonly indexName: string;
}

/** The job that fills an index from a backup. */
export interface RestoreJob extends Omit<Job, 'input'> {
  readonly input: RestoreInput;
}

export interface Backups {
  /** Resolves once the job is stored; the backup is Ready later. @throws index-not-found, index-not-ready, invalid-argument */
  create(access: ProjectAccess, indexName: string, labels: BackupLabels): Promise<Archive>;
  /** @throws backup-not-found */
  describe(access: ProjectAccess, id: string): Promise<Archive>;
  /**
   * Why a backup is Failed, null once the catalog has forgotten the job; what of a Ready one the background reading found
   * damaged, null for nothing.
   */
  problemOf(backup: Archive): Promise<string | null>;
  /** Newest first. */
  list(access: ProjectAccess, page: PageQuery): Promise<Page<Archive>>;
  /** Backups of one index and, on request, of deleted indexes of its name. @throws index-not-found */
  listOf(
    access: ProjectAccess,
    source: { readonly indexName: string; readonly includeDeleted: boolean },
    page: PageQuery,
  ): Promise<Page<Archive>>;
  /** @throws backup-not-found, pending-restore-jobs */
  remove(access: ProjectAccess, id: string): Promise<void>;
  /** Resolves when the index exists in Initializing. @throws backup-not-found, backup-not-ready, name-taken */
  restore(access: ProjectAccess, id: string, requested: RequestedRestore): Promise<RestoreJob>;
  /** @throws restore-job-not-found */
  describeRestore(access: ProjectAccess, id: string): Promise<RestoreJob>;
  /** Newest first. */
  listRestores(access: ProjectAccess, page: PageQuery): Promise<Page<RestoreJob>>;
}

export interface Collections {
  /** @throws index-not-found, index-not-ready, invalid-argument, name-taken */
  create(access: ProjectAccess, name: string, indexName: string): Promise<Archive>;
  /** In name order. */
  list(access: ProjectAccess): Promise<readonly Archive[]>;
  /** @throws collection-not-found */
  describe(access: ProjectAccess, name: string): Promise<Archive>;
  /** @throws collection-not-found */
  remove(access: ProjectAccess, name: string): Promise<void>;
  /** Checks that an index can be created from a collection of this name. @throws source-collection-not-found */
  requireSource(access: ProjectAccess, name: string): Promise<void>;
  /**
   * The index stays in Initializing until it has its records.
   * @throws source-collection-not-found, name-taken, invalid-argument
   */
  createIndex(access: ProjectAccess, name: string, requested: NewIndex): Promise<Index>;
}

export interface NewSchedule {
  readonly name: string;
  readonly frequency: Frequency;
  readonly retentionDays: number;
}

export interface ScheduleChange {
  readonly frequency?: Frequency;
  readonly retentionDays?: number;
  readonly enabled?: boolean;
}

/** A schedule with what became of its last run. */
export interface ScheduleReport {
  readonly schedule: BackupSchedule;
  /** Null while the index is being deleted. */
  readonly indexName: string | null;
  /** Null before the first run. */
  readonly lastRun: Archive | null;
  /** Why the last run is Failed. */
  readonly failure: string | null;
}

export interface Schedules {
  /** @throws index-not-found, invalid-argument, schedule-exists */
  create(access: ProjectAccess, indexName: string, requested: NewSchedule): Promise<BackupSchedule>;
  /** Newest first. @throws index-not-found */
  listOf(access: ProjectAccess, indexName: string, page: PageQuery): Promise<Page<BackupSchedule>>;
  /** Of all indexes of the project, newest first. */
  reports(access: ProjectAccess, page: PageQuery): Promise<Page<ScheduleReport>>;
  /** @throws schedule-not-found */
  describe(access: ProjectAccess, id: string): Promise<BackupSchedule>;
  /** A schedule that is enabled again starts a backup at once. @throws schedule-not-found, schedule-exists */
  update(access: ProjectAccess, id: string, change: ScheduleChange): Promise<BackupSchedule>;
  /** Its backups stay. @throws schedule-not-found */
  remove(access: ProjectAccess, id: string): Promise<void>;
  /** Its backups and the next planned one, newest first. @throws schedule-not-found */
  history(access: ProjectAccess, id: string, page: PageQuery): Promise<Page<Archive>>;
}
