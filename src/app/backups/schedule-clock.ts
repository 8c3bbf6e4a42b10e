// Starts the backups of schedules when they are due, and removes backups that have passed their time.
import type { Catalog } from '../../catalog/port.ts';
import {
  type BackupSchedule,
  expiryOf,
  nextRun,
  plannedRun,
  runName,
} from '../../domain/backups/schedule.ts';
import { Fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import { type Index, isReady } from '../../domain/index-model.ts';
import type { JobQueue } from '../../jobs/port.ts';
import { archiveJob, beginRemoval, newArchive } from './backup-service.ts';

/** Other processes may change schedules, and clocks are set: the longest time without a look. */
const LOOK_MS_MAX = 60_000;
/** Between looks, so that what cannot be done now is not tried without a pause. */
const LOOK_MS_MIN = 1_000;

export interface ScheduleClockParts {
  readonly catalog: Pick<Catalog, 'archives' | 'schedules' | 'jobs'>;
  readonly jobs: Pick<JobQueue, 'wake'>;
  readonly sourceOf: (indexId: string) => Index | undefined;
  readonly now: () => Date;
  readonly onFailure: (error: unknown) => void;
}

export class ScheduleClock {
  readonly #parts: ScheduleClockParts;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isOpen = false;

  constructor(parts: ScheduleClockParts) {
    this.#parts = parts;
  }

  /** Makes up for what fell due while nobody looked: once, however often it was. */
  start(): void {
    this.#isOpen = true;
    this.look();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  look(): void {
    if (!this.#isOpen) return;
    clearTimeout(this.#timer);
    this.#looking = this.#looking
      .then(() => this.#lookNow())
      .catch((error: unknown) => {
        this.#parts.onFailure(error);
        this.#lookIn(LOOK_MS_MAX);
      });
  }

  async #lookNow(): Promise<void> {
    const { archives, schedules } = this.#parts.catalog;
    const now = this.#parts.now();
    for (const schedule of await schedules.due(now.toISOString())) await this.#begin(schedule, now);
    for (const archive of await archives.expired(now.toISOString())) await this.#expire(archive);
    const times = [await schedules.nextDue(), await archives.nextExpiry()].filter((time) => time !== null);
    const next = Math.min(...times.map((time) => Date.parse(time) - now.getTime()), LOOK_MS_MAX);
    this.#lookIn(Math.max(LOOK_MS_MIN, next));
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isOpen) this.#timer = setTimeout(() => this.look(), ms).unref();
  }

  async #begin(schedule: BackupSchedule, now: Date): Promise<void> {
    const { catalog, jobs, sourceOf } = this.#parts;
    const source = sourceOf(schedule.indexId);
    // One that is being made or deleted: the next look sees what has become of it.
    if (source === undefined || !isReady(source.state)) return;
    const labels = { face: 'backup', name: runName(schedule, now.toISOString()), description: null } as const;
    const createdAt = now.toISOString();
    const expiresAt = expiryOf(createdAt, schedule);
    const archive = { ...newArchive(source, labels), createdAt, scheduleId: schedule.id, expiresAt };
    const nextRunAt = nextRun(schedule.anchorAt, schedule.frequency, now);
    const planned = plannedRun({ ...schedule, nextRunAt }, source, newId(), createdAt);
    const job = archiveJob(archive);
    if (await catalog.schedules.beginRun({ schedule, archive, job, nextRunAt, planned })) jobs.wake();
  }

  async #expire(archive: Parameters<typeof beginRemoval>[1]): Promise<void> {
    try {
      await beginRemoval(this.#parts, archive);
    } catch (error) {
      // An index is being made of it: it goes at a later look.
      if (!(error instanceof Fault) || error.condition !== 'pending-restore-jobs') throw error;
    }
  }
}
