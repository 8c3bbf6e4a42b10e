// The catalog's part for archives of indexes (backups and collections) and backup schedules.
import type { Page, PageQuery } from '../../domain/administration/pages.ts';
import type { Archive, ArchiveFace, ArchiveFigures } from '../../domain/backups/archive.ts';
import type { BackupSchedule } from '../../domain/backups/schedule.ts';
import type { Job, NewJob } from '../../domain/jobs.ts';

export type { Archive, ArchiveFace, ArchiveFigures } from '../../domain/backups/archive.ts';
export type { BackupSchedule } from '../../domain/backups/schedule.ts';

/** Absent filters let everything pass. Planned backups show only among those of their schedule. */
export interface ArchiveQuery {
  readonly projectId: string;
  readonly face: ArchiveFace;
  /** Null: of indexes that are deleted. */
  readonly sourceIndexId?: string;
  readonly sourceIndexName?: string;
  readonly scheduleId?: string;
}

export interface ArchiveStore {
  /**
   * Together with the job that makes it.
   * @throws name-taken for a collection; index-not-found when the source is gone or goes
   */
  insert(archive: Archive, job: NewJob): Promise<void>;
  find(id: string): Promise<Archive | null>;
  findCollection(projectId: string, name: string): Promise<Archive | null>;
  /** Newest first. */
  list(query: ArchiveQuery, page: PageQuery): Promise<Page<Archive>>;
  /** In name order. */
  listCollections(projectId: string): Promise<readonly Archive[]>;
  /** From Initializing to Ready. False when it is not Initializing any more. */
  complete(id: string, fields: ArchiveFigures & { readonly manifestSha256: string }): Promise<boolean>;
  /** From Initializing to Failed. */
  fail(id: string): Promise<void>;
  /**
   * To Terminating, with the job that removes it. No effect on one that is Terminating.
   * @throws pending-restore-jobs for a backup that indexes are being made of
   */
  beginRemoval(archive: Archive, job: NewJob): Promise<void>;
  /** Removes the row. */
  remove(id: string): Promise<void>;
  /** Stores the job that makes an index of it. @throws backup-not-ready */
  beginRestore(id: string, job: NewJob): Promise<Job>;
  /** What has passed its time, and when the next does. */
  expired(now: string): Promise<readonly Archive[]>;
  nextExpiry(): Promise<string | null>;
}

/** A run of a schedule that begins, and the one planned after it. */
export interface ScheduleRun {
  /** As it was when it fell due. */
  readonly schedule: BackupSchedule;
  readonly archive: Archive;
  readonly job: NewJob;
  readonly nextRunAt: string;
  readonly planned: Archive;
}

/** A schedule with its planned run, null when it is disabled. */
export interface PlannedSchedule {
  readonly schedule: BackupSchedule;
  readonly planned: Archive | null;
}

export interface ScheduleStore {
  /** @throws schedule-exists, index-not-found */
  insert(requested: PlannedSchedule): Promise<void>;
  find(projectId: string, id: string): Promise<BackupSchedule | null>;
  /** Newest first. */
  list(indexId: string, page: PageQuery): Promise<Page<BackupSchedule>>;
  /**
   * Replaces its row and its planned run by what `change` makes of the row as it is; its backups expire by it.
   * @throws schedule-not-found, schedule-exists; what `change` throws
   */
  update(
    ref: Pick<BackupSchedule, 'id' | 'projectId'>,
    change: (schedule: BackupSchedule) => PlannedSchedule,
  ): Promise<BackupSchedule>;
  /** With its planned run; its other backups stay. */
  remove(id: string): Promise<void>;
  /** Enabled ones of which the time has come. */
  due(now: string): Promise<readonly BackupSchedule[]>;
  nextDue(): Promise<string | null>;
  /** All of it or, when another process was first or the schedule has changed, nothing. */
  beginRun(run: ScheduleRun): Promise<boolean>;
}
