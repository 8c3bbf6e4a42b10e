// The catalog's port for archives of indexes (backups and collections) and backup schedules.
import type { Page, PageQuery } from '../../domain/administration/pages.ts';
import type { Archive, ArchiveFace, ArchiveFigures } from '../../domain/backups/archive.ts';
import type { BackupSchedule } from '../../domain/backups/schedule.ts';
import type { Job, NewJob } from '../../domain/jobs.ts';

export type { Archive, ArchiveFace, ArchiveFigures } from '../../domain/backups/archive.ts';
export type { BackupSchedule } from '../../domain/backups/schedule.ts';

/** Absent filters match everything. Planned backups appear only in the history of their schedule. */
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
   * Also stores the job that creates it.
   * @throws name-taken for a collection; index-not-found when the source is deleted or being deleted
   */
  insert(archive: Archive, job: NewJob): Promise<void>;
  /** Stores a whole archive that a lost catalog knew. Its source need not exist. */
  adopt(archive: Archive): Promise<void>;
  find(id: string): Promise<Archive | null>;
  findCollection(projectId: string, name: string): Promise<Archive | null>;
  /** Newest first. */
  list(query: ArchiveQuery, page: PageQuery): Promise<Page<Archive>>;
  /** In name order. */
  listCollections(projectId: string): Promise<readonly Archive[]>;
  /** From Initializing to Ready. False when it is no longer Initializing. */
  complete(id: string, fields: ArchiveFigures & { readonly manifestSha256: string }): Promise<boolean>;
  /** From Initializing to Failed. */
  fail(id: string): Promise<void>;
  /**
   * Sets the state to Terminating and stores the job that removes it. No effect in Terminating.
   * @throws pending-restore-jobs for a backup that is being restored
   */
  beginRemoval(archive: Archive, job: NewJob): Promise<void>;
  /** Removes the row. */
  remove(id: string): Promise<void>;
  /** Stores the job that restores it. @throws backup-not-ready */
  beginRestore(id: string, job: NewJob): Promise<Job>;
  /**
   * Returns expired archives, without the newest whole backup of each enabled schedule: it stays until there is a newer one.
   * @param damaged ids of those that do not count as whole
   */
  expired(now: string, damaged: readonly string[]): Promise<readonly Archive[]>;
  /** When the next one of those expires; null for never. */
  nextExpiry(damaged: readonly string[]): Promise<string | null>;
  /** When the newest whole backup of each index was made, of all projects. @param damaged ids of those that do not count */
  newestBackups(damaged: readonly string[]): Promise<readonly NewestBackup[]>;
}

export interface NewestBackup {
  readonly indexId: string;
  readonly createdAt: string;
}

/** A starting run of a schedule, and the planned next one. */
export interface ScheduleRun {
  /** The schedule when the run fell due. */
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

export interface DueSchedules {
  /** ISO time by the clock that all nodes share. Next runs are planned from it: by another one, they might be due again. */
  readonly at: string;
  readonly schedules: readonly BackupSchedule[];
}

export interface ScheduleStore {
  /** @throws schedule-exists, index-not-found */
  insert(requested: PlannedSchedule): Promise<void>;
  find(projectId: string, id: string): Promise<BackupSchedule | null>;
  /** Of an index or a whole project, newest first. */
  list(
    of: Pick<BackupSchedule, 'indexId'> | Pick<BackupSchedule, 'projectId'>,
    page: PageQuery,
  ): Promise<Page<BackupSchedule>>;
  /**
   * Replaces its row and its planned run by the result of `change`, and updates the expiry of its backups.
   * @throws schedule-not-found, schedule-exists; what `change` throws
   */
  update(
    ref: Pick<BackupSchedule, 'id' | 'projectId'>,
    change: (schedule: BackupSchedule) => PlannedSchedule,
  ): Promise<BackupSchedule>;
  /** Also removes its planned run; its other backups stay. */
  remove(id: string): Promise<void>;
  /**
   * Returns enabled schedules that are due, or planned further ahead than a period: the clock was set back.
   * @param now by this node's clock
   */
  due(now: string): Promise<DueSchedules>;
  nextDue(): Promise<string | null>;
  /** Atomic; false when another process was first or the schedule has changed. */
  beginRun(run: ScheduleRun): Promise<boolean>;
}
