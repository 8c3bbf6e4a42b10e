// Backup schedules in SQL. The planned run of a schedule is a row among its backups and changes with it.
import type { ExpressionBuilder, Kysely, Transaction } from 'kysely';
import type { Archive } from '../../domain/backups/archive.ts';
import { type BackupSchedule, expiryOf, FREQUENCIES, latestRun } from '../../domain/backups/schedule.ts';
import { fault } from '../../domain/faults.ts';
import { byCreation } from '../administration/page-of.ts';
import type { CatalogClock } from '../catalog-clock.ts';
import { insertJob } from '../jobs/job-rows.ts';
import { isBefore } from '../newest-first.ts';
import type { CatalogSchema } from '../schema.ts';
import { archiveRow, scheduleOf, scheduleRow } from './archive-rows.ts';
import { requireLivingIndex } from './archives.ts';
import type { ScheduleStore } from './port.ts';

/** Schedules started per check. */
const DUE_MAX = 100;

export function sqlSchedules(db: Kysely<CatalogSchema>, clock: CatalogClock): ScheduleStore {
  return {
    insert: ({ schedule, planned }) =>
      db.transaction().execute(async (tx) => {
        if (planned !== null) await requireLivingIndex(tx, planned.source);
        await requireOnlyEnabled(tx, schedule);
        await tx.insertInto('backup_schedules').values(scheduleRow(schedule)).execute();
        await plan(tx, schedule.id, planned);
      }),

    find: async (projectId, id) => {
      const row = await db
        .selectFrom('backup_schedules')
        .selectAll()
        .where('id', '=', id)
        .where('project_id', '=', projectId)
        .executeTakeFirst();
      return row === undefined ? null : scheduleOf(row);
    },

    list: async (of, page) => {
      const rows = await db
        .selectFrom('backup_schedules')
        .selectAll()
        .where(({ eb }) =>
          'indexId' in of ? eb('index_id', '=', of.indexId) : eb('project_id', '=', of.projectId),
        )
        .where(isBefore('backup_schedules', page))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return byCreation(rows.map(scheduleOf), page.limit);
    },

    update: (ref, change) =>
      db.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom('backup_schedules')
          .selectAll()
          .where('id', '=', ref.id)
          .where('project_id', '=', ref.projectId)
          .executeTakeFirst();
        if (row === undefined) throw fault('schedule-not-found');
        const { schedule, planned } = change(scheduleOf(row));
        await requireOnlyEnabled(tx, schedule);
        const { id, ...columns } = scheduleRow(schedule);
        await tx.updateTable('backup_schedules').set(columns).where('id', '=', id).execute();
        await plan(tx, id, planned);
        await retime(tx, schedule);
        return schedule;
      }),

    remove: (id) =>
      db.transaction().execute(async (tx) => {
        await plan(tx, id, null);
        await tx.deleteFrom('backup_schedules').where('id', '=', id).execute();
      }),

    due: (now) =>
      db.transaction().execute(async (tx) => {
        // In the transaction, which has just reported the shared clock.
        const at = clock.toShared(now);
        const rows = await tx
          .selectFrom('backup_schedules')
          .selectAll()
          .where('enabled', '=', 1)
          .where((each) => isDue(each, at))
          .orderBy('next_run_at')
          .limit(DUE_MAX)
          .execute();
        return { at, schedules: rows.map(scheduleOf) };
      }),

    nextDue: async () => {
      const row = await db
        .selectFrom('backup_schedules')
        .select(({ fn }) => fn.min<string | null>('next_run_at').as('next'))
        .where('enabled', '=', 1)
        .executeTakeFirst();
      return row?.next ? clock.toOwn(row.next) : null;
    },

    beginRun: ({ schedule, archive, job, nextRunAt, planned }) =>
      db.transaction().execute(async (tx) => {
        const moved = await tx
          .updateTable('backup_schedules')
          .set({ next_run_at: nextRunAt })
          .where('id', '=', schedule.id)
          .where('enabled', '=', 1)
          .where('next_run_at', '=', schedule.nextRunAt)
          .executeTakeFirst();
        if (moved.numUpdatedRows !== 1n) return false;
        await plan(tx, schedule.id, null);
        await tx
          .insertInto('archives')
          .values([archiveRow(archive), archiveRow(planned)])
          .execute();
        await insertJob(tx, job);
        return true;
      }),
  };
}

/** True also where the planned time is further ahead than any is planned for: the clock was set back since. */
function isDue({ or, and, eb }: ExpressionBuilder<CatalogSchema, 'backup_schedules'>, at: string) {
  const isTooFar = FREQUENCIES.map((frequency) =>
    and([eb('frequency', '=', frequency), eb('next_run_at', '>', latestRun(frequency, at))]),
  );
  return or([eb('next_run_at', '<=', at), ...isTooFar]);
}

/** @throws schedule-exists */
async function requireOnlyEnabled(tx: Transaction<CatalogSchema>, schedule: BackupSchedule): Promise<void> {
  if (!schedule.enabled) return;
  const other = await tx
    .selectFrom('backup_schedules')
    .select('id')
    .where('index_id', '=', schedule.indexId)
    .where('id', '!=', schedule.id)
    .where('enabled', '=', 1)
    .executeTakeFirst();
  if (other !== undefined) throw fault('schedule-exists');
}

/** Replaces the planned run by another one or none. */
async function plan(
  tx: Transaction<CatalogSchema>,
  scheduleId: string,
  planned: Archive | null,
): Promise<void> {
  await tx
    .deleteFrom('archives')
    .where('schedule_id', '=', scheduleId)
    .where('state', '=', 'Scheduled')
    .execute();
  if (planned !== null) await tx.insertInto('archives').values(archiveRow(planned)).execute();
}

/** Recomputes the expiry of a schedule's backups from its present retention. */
async function retime(tx: Transaction<CatalogSchema>, schedule: BackupSchedule): Promise<void> {
  const rows = await tx
    .selectFrom('archives')
    .select(['id', 'created_at'])
    .where('schedule_id', '=', schedule.id)
    .where('state', 'in', ['Initializing', 'Ready', 'Failed'])
    .execute();
  for (const { id, created_at } of rows) {
    const change = { expires_at: expiryOf(created_at, schedule) };
    await tx.updateTable('archives').set(change).where('id', '=', id).execute();
  }
}
