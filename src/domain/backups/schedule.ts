// Backup schedules: when they run, and how long their backups are kept.
import type { Archive } from './archive.ts';

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

const DAY_MS = 86_400_000;
const PERIOD_DAYS = { daily: 1, weekly: 7 } as const;
const PERIOD_DAYS_MAX = { ...PERIOD_DAYS, monthly: 31 } as const;
/** The clocks of those who plan runs, and of those who look whether one is due, may be so far apart. */
const CLOCKS_APART_MS_MAX = 3_600_000;

export interface BackupSchedule {
  readonly id: string;
  readonly projectId: string;
  readonly indexId: string;
  readonly name: string;
  readonly frequency: Frequency;
  /** Days that its backups are kept. */
  readonly retentionDays: number;
  readonly enabled: boolean;
  /** Start of its periods: its creation, its last enabling, or its last change of frequency. */
  readonly anchorAt: string;
  /** ISO time; null exactly when it is disabled. */
  readonly nextRunAt: string | null;
  readonly createdAt: string;
}

/**
 * Returns the first time after `now` that is a whole number of periods from `anchor`; skips missed runs. Months keep
 * the day of the anchor, or the last day where a month is shorter. All in UTC. The anchor may be later than `now`: the
 * clock was ahead when it was set.
 */
export function nextRun(anchor: string, frequency: Frequency, now: Date): string {
  const start = new Date(anchor);
  if (frequency !== 'monthly') {
    const period = PERIOD_DAYS[frequency] * DAY_MS;
    const passed = Math.floor((now.getTime() - start.getTime()) / period);
    return new Date(start.getTime() + (passed + 1) * period).toISOString();
  }
  const months =
    (now.getUTCFullYear() - start.getUTCFullYear()) * 12 + now.getUTCMonth() - start.getUTCMonth();
  const inThisMonth = addMonths(start, months);
  return (inThisMonth > now ? inThisMonth : addMonths(start, months + 1)).toISOString();
}

/**
 * Returns the latest time that a run may be planned for at `now`, an ISO time as is the result. A later one comes from
 * a clock that was ahead, and nobody would want to wait for it.
 */
export function latestRun(frequency: Frequency, now: string): string {
  return new Date(Date.parse(now) + PERIOD_DAYS_MAX[frequency] * DAY_MS + CLOCKS_APART_MS_MAX).toISOString();
}

function addMonths(start: Date, count: number): Date {
  const month = start.getUTCMonth() + count;
  const lastDay = new Date(Date.UTC(start.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const time = new Date(start);
  // Set the day first: a day that the month lacks would overflow into the next month.
  time.setUTCDate(1);
  time.setUTCMonth(month);
  time.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  return time;
}

/** Returns when a backup that began at `at` expires. */
export function expiryOf(at: string, { retentionDays }: Pick<BackupSchedule, 'retentionDays'>): string {
  return new Date(Date.parse(at) + retentionDays * DAY_MS).toISOString();
}

/** Returns the name of a backup that begins at `at`: the schedule's name and the time in seconds. */
export function runName({ name }: Pick<BackupSchedule, 'name'>, at: string): string {
  return `${name}-${at.slice(0, 19).replaceAll(/[-:]/g, '').toLowerCase()}`;
}

/** Returns the planned backup that the history shows before the run begins. */
export function plannedRun(
  schedule: BackupSchedule,
  source: Archive['source'],
  id: string,
  now: string,
): Archive {
  return {
    id,
    face: 'backup',
    projectId: schedule.projectId,
    name: runName(schedule, schedule.nextRunAt ?? now),
    description: null,
    state: 'Scheduled',
    source,
    recordCount: 0,
    namespaceCount: 0,
    sizeBytes: 0,
    sourceDeletedAt: null,
    manifestSha256: null,
    scheduleId: schedule.id,
    scheduledAt: schedule.nextRunAt,
    expiresAt: null,
    // Sorts before a run that begins at the same time.
    createdAt: new Date(Date.parse(now) + 1).toISOString(),
  };
}
