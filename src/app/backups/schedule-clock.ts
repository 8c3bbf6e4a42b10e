// Starts the backups of schedules when they are due, and removes expired backups.
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
import { readScrubState } from './damaged-archives.ts';

/** Longest time between checks, since other processes may change schedules and clocks may be set. */
const LOOK_MS_MAX = 60_000;
/** Shortest time between checks, so that blocked work is not retried without a pause. */
const LOOK_MS_MIN = 1_000;

export interface ScheduleClockParts {
  readonly catalog: Pick<Catalog, 'archives' | 'schedules' | 'jobs' | 'settings'>;
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

  /** Runs a schedule that was missed while the server was down: once, however often it was missed. */
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
    const { archives, schedules, settings } = this.#parts.catalog;
    const now = this.#parts.now();
    const { at, schedules: due } = await schedules.due(now.toISOString());
    for (const schedule of due) await this.#begin(schedule, { now, at: new Date(at) });
    // A damaged backup takes the place of no whole one.
    const damaged = Object.keys((await readScrubState(settings)).damaged);
    for (const archive of await archives.expired(now.toISOString(), damaged)) await this.#expire(archive);
    const times = [await schedules.nextDue(), await archives.nextExpiry(damaged)].filter(
      (time) => time !== null,
    );
    const next = Math.min(...times.map((time) => Date.parse(time) - now.getTime()), LOOK_MS_MAX);
    this.#lookIn(Math.max(LOOK_MS_MIN, next));
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isOpen) this.#timer = setTimeout(() => this.look(), ms).unref();
  }

  /** @param times `at` is `now` by the shared clock */
  async #begin(
    schedule: BackupSchedule,
    { now, at }: { readonly now: Date; readonly at: Date },
  ): Promise<void> {
    const { catalog, jobs, sourceOf } = this.#parts;
    const source = sourceOf(schedule.indexId);
    // It is being created or deleted: the next check decides.
    if (source === undefined || !isReady(source.state)) return;
    const labels = { face: 'backup', name: runName(schedule, now.toISOString()), description: null } as const;
    const createdAt = now.toISOString();
    const expiresAt = expiryOf(createdAt, schedule);
    const archive = { ...newArchive(source, labels), createdAt, scheduleId: schedule.id, expiresAt };
    const nextRunAt = nextRun(schedule.anchorAt, schedule.frequency, at);
    const planned = plannedRun({ ...schedule, nextRunAt }, source, newId(), createdAt);
    const job = archiveJob(archive);
    if (await catalog.schedules.beginRun({ schedule, archive, job, nextRunAt, planned })) jobs.wake();
  }

  async #expire(archive: Parameters<typeof beginRemoval>[1]): Promise<void> {
    try {
      await beginRemoval(this.#parts, archive);
    } catch (error) {
      // An index is being restored from it: a later check removes it.
      if (!(error instanceof Fault) || error.condition !== 'pending-restore-jobs') throw error;
    }
  }
}
