// The service for backup schedules.
import type { Page, PageQuery } from '../../catalog/port.ts';
import type { ProjectAccess } from '../../domain/access.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import { requireBackupSource } from '../../domain/backups/archive-rules.ts';
import { type BackupSchedule, nextRun, plannedRun } from '../../domain/backups/schedule.ts';
import type {
  NewSchedule,
  ScheduleChange,
  ScheduleReport,
  Schedules,
} from '../../domain/backups/services.ts';
import { fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { Index } from '../../domain/index-model.ts';
import { type BackupServiceParts, failureOf } from './backup-service.ts';

export interface ScheduleServiceParts extends Pick<BackupServiceParts, 'catalog' | 'indexes'> {
  readonly sourceOf: (indexId: string) => Index | undefined;
  /** Checks schedules now: something may be due sooner than before. */
  readonly look: () => void;
  readonly now: () => Date;
}

/** The planned run of a schedule, which has not begun, and its last one. */
const RUNS_READ = 2;

export class ScheduleService implements Schedules {
  readonly #parts: ScheduleServiceParts;

  constructor(parts: ScheduleServiceParts) {
    this.#parts = parts;
  }

  async create(access: ProjectAccess, indexName: string, requested: NewSchedule): Promise<BackupSchedule> {
    const source = await this.#parts.indexes.describe(access, indexName);
    requireBackupSource(source);
    const now = this.#parts.now();
    const createdAt = now.toISOString();
    const schedule: BackupSchedule = {
      id: newId(),
      projectId: access.projectId,
      indexId: source.id,
      ...requested,
      enabled: true,
      anchorAt: createdAt,
      nextRunAt: nextRun(createdAt, requested.frequency, now),
      createdAt,
    };
    const planned = plannedRun(schedule, source, newId(), createdAt);
    await this.#parts.catalog.schedules.insert({ schedule, planned });
    this.#parts.look();
    return schedule;
  }

  async listOf(access: ProjectAccess, indexName: string, page: PageQuery): Promise<Page<BackupSchedule>> {
    const { id } = await this.#parts.indexes.describe(access, indexName);
    return this.#parts.catalog.schedules.list({ indexId: id }, page);
  }

  async reports({ projectId }: ProjectAccess, page: PageQuery): Promise<Page<ScheduleReport>> {
    const { items, next } = await this.#parts.catalog.schedules.list({ projectId }, page);
    return { items: await Promise.all(items.map((schedule) => this.#report(schedule))), next };
  }

  async describe({ projectId }: ProjectAccess, id: string): Promise<BackupSchedule> {
    const schedule = await this.#parts.catalog.schedules.find(projectId, id);
    if (schedule === null) throw fault('schedule-not-found');
    return schedule;
  }

  async update({ projectId }: ProjectAccess, id: string, change: ScheduleChange): Promise<BackupSchedule> {
    const now = this.#parts.now();
    const updated = await this.#parts.catalog.schedules.update({ projectId, id }, (before) => {
      const schedule = changedSchedule(before, change, now);
      const source = this.#parts.sourceOf(schedule.indexId);
      if (source === undefined) throw fault('schedule-not-found');
      const planned = schedule.enabled ? plannedRun(schedule, source, newId(), now.toISOString()) : null;
      return { schedule, planned };
    });
    this.#parts.look();
    return updated;
  }

  async remove(access: ProjectAccess, id: string): Promise<void> {
    await this.describe(access, id);
    await this.#parts.catalog.schedules.remove(id);
  }

  async history(access: ProjectAccess, id: string, page: PageQuery): Promise<Page<Archive>> {
    const { projectId } = await this.describe(access, id);
    return this.#parts.catalog.archives.list({ projectId, face: 'backup', scheduleId: id }, page);
  }

  async #report(schedule: BackupSchedule): Promise<ScheduleReport> {
    const { catalog, sourceOf } = this.#parts;
    const { id, projectId, indexId } = schedule;
    const query = { projectId, face: 'backup', scheduleId: id } as const;
    const { items } = await catalog.archives.list(query, { limit: RUNS_READ, after: null });
    const lastRun = items.find(({ state }) => state !== 'Scheduled') ?? null;
    const failure = lastRun === null ? null : await failureOf(catalog, lastRun);
    return { schedule, indexName: sourceOf(indexId)?.name ?? null, lastRun, failure };
  }
}

/** A schedule that is enabled again is due at once; the clock plans its next run from now. */
function changedSchedule(before: BackupSchedule, change: ScheduleChange, now: Date): BackupSchedule {
  const after = { ...before, ...change };
  if (!after.enabled) return { ...after, nextRunAt: null };
  const anchorAt = now.toISOString();
  if (!before.enabled) return { ...after, anchorAt, nextRunAt: anchorAt };
  if (after.frequency === before.frequency) return after;
  return { ...after, anchorAt, nextRunAt: nextRun(anchorAt, after.frequency, now) };
}
