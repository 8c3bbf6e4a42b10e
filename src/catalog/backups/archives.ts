// Archives in SQL. Each change keeps an archive, its index and its jobs consistent in one transaction.
import type { ExpressionBuilder, Kysely, Transaction } from 'kysely';
import type { PageQuery } from '../../domain/administration/pages.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import { fault } from '../../domain/faults.ts';
import { ACTIVE_JOB_STATES } from '../../domain/jobs.ts';
import { RECOVERY_KIND } from '../../domain/nodes/takeover.ts';
import { byCreation } from '../administration/page-of.ts';
import { insertJob } from '../jobs/job-rows.ts';
import { isBefore } from '../newest-first.ts';
import type { CatalogSchema } from '../schema.ts';
import { archiveOf, archiveRow } from './archive-rows.ts';
import type { ArchiveQuery, ArchiveStore } from './port.ts';

/** Expired archives returned at a time. */
const EXPIRED_MAX = 100;

export function sqlArchives(db: Kysely<CatalogSchema>): ArchiveStore {
  return {
    insert: (archive, job) =>
      db.transaction().execute(async (tx) => {
        await requireLivingIndex(tx, archive.source);
        if (archive.face === 'collection') await requireFreeName(tx, archive);
        await tx.insertInto('archives').values(archiveRow(archive)).execute();
        await insertJob(tx, job);
      }),

    adopt: async (archive) => {
      await db.insertInto('archives').values(archiveRow(archive)).execute();
    },

    find: async (id) => {
      const row = await db.selectFrom('archives').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : archiveOf(row);
    },

    findCollection: async (projectId, name) => {
      const row = await collections(db, projectId).where('name', '=', name).executeTakeFirst();
      return row === undefined ? null : archiveOf(row);
    },

    list: async (query, page) => {
      const rows = await listed(db, query, page).execute();
      return byCreation(rows.map(archiveOf), page.limit);
    },

    listCollections: async (projectId) => {
      const rows = await collections(db, projectId).orderBy('name').execute();
      return rows.map(archiveOf);
    },

    complete: async (id, { recordCount, namespaceCount, sizeBytes, manifestSha256 }) => {
      const result = await db
        .updateTable('archives')
        .set({
          state: 'Ready',
          record_count: recordCount,
          namespace_count: namespaceCount,
          size_bytes: sizeBytes,
          manifest_sha256: manifestSha256,
        })
        .where('id', '=', id)
        .where('state', '=', 'Initializing')
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    newestBackups: async (damaged) => {
      const rows = await db
        .selectFrom('archives')
        .select(({ fn }) => ['source_index_id', fn.max('created_at').as('created_at')])
        .where('face', '=', 'backup')
        .where('state', '=', 'Ready')
        .$if(damaged.length > 0, (some) => some.where('id', 'not in', damaged))
        .groupBy('source_index_id')
        .execute();
      return rows.map(({ source_index_id: indexId, created_at: createdAt }) => ({ indexId, createdAt }));
    },

    fail: async (id) => {
      await db
        .updateTable('archives')
        .set({ state: 'Failed' })
        .where('id', '=', id)
        .where('state', '=', 'Initializing')
        .execute();
    },

    beginRemoval: ({ id, face }, job) =>
      db.transaction().execute(async (tx) => {
        const row = await tx.selectFrom('archives').select('state').where('id', '=', id).executeTakeFirst();
        if (row === undefined || row.state === 'Terminating') return;
        if (face === 'backup') await requireNoRestores(tx, id);
        await tx.updateTable('archives').set({ state: 'Terminating' }).where('id', '=', id).execute();
        await insertJob(tx, job);
      }),

    remove: async (id) => {
      await db.deleteFrom('archives').where('id', '=', id).execute();
    },

    beginRestore: (id, job) =>
      db.transaction().execute(async (tx) => {
        const row = await tx.selectFrom('archives').select('state').where('id', '=', id).executeTakeFirst();
        if (row?.state !== 'Ready') throw fault('backup-not-ready', { id });
        return insertJob(tx, job);
      }),

    expired: async (now, damaged) => {
      const rows = await db
        .selectFrom('archives')
        .selectAll()
        .where('state', 'in', ['Ready', 'Failed'])
        .where('expires_at', '<=', now)
        .where((archives) => mayExpire(archives, damaged))
        .orderBy('expires_at')
        .limit(EXPIRED_MAX)
        .execute();
      return rows.map(archiveOf);
    },

    nextExpiry: async (damaged) => {
      const row = await db
        .selectFrom('archives')
        .select(({ fn }) => fn.min<string | null>('expires_at').as('next'))
        .where('state', 'in', ['Ready', 'Failed'])
        .where((archives) => mayExpire(archives, damaged))
        .executeTakeFirst();
      return row?.next ?? null;
    },
  };
}

/**
 * False for the newest whole backup of an enabled schedule: it stays until a newer one is whole, however many runs have
 * failed. Schedules are deleted with their indexes.
 */
function mayExpire(archives: ExpressionBuilder<CatalogSchema, 'archives'>, damaged: readonly string[]) {
  const { or, not, eb, exists, selectFrom } = archives;
  const schedule = selectFrom('backup_schedules as schedule')
    .select('schedule.id')
    .whereRef('schedule.id', '=', 'archives.schedule_id')
    .where('schedule.enabled', '=', 1);
  const newer = selectFrom('archives as newer')
    .select('newer.id')
    .whereRef('newer.schedule_id', '=', 'archives.schedule_id')
    .where('newer.state', '=', 'Ready')
    .$if(damaged.length > 0, (some) => some.where('newer.id', 'not in', damaged))
    .where((each) =>
      each.or([
        each('newer.created_at', '>', each.ref('archives.created_at')),
        each.and([
          each('newer.created_at', '=', each.ref('archives.created_at')),
          each('newer.id', '>', each.ref('archives.id')),
        ]),
      ]),
    );
  return or([eb('state', '=', 'Failed'), not(exists(schedule)), exists(newer)]);
}

function collections(db: Kysely<CatalogSchema>, projectId: string) {
  return db
    .selectFrom('archives')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('face', '=', 'collection');
}

function listed(db: Kysely<CatalogSchema>, query: ArchiveQuery, page: PageQuery) {
  const { projectId, face, sourceIndexId, sourceIndexName, scheduleId } = query;
  const hidden: readonly Archive['state'][] =
    scheduleId === undefined ? ['Scheduled', 'Terminating'] : ['Terminating'];
  return db
    .selectFrom('archives')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('face', '=', face)
    .where('state', 'not in', hidden)
    .$if(sourceIndexId !== undefined, (some) => some.where('source_index_id', '=', sourceIndexId ?? ''))
    .$if(sourceIndexName !== undefined, (some) => some.where('source_index_name', '=', sourceIndexName ?? ''))
    .$if(scheduleId !== undefined, (some) => some.where('schedule_id', '=', scheduleId ?? ''))
    .where(isBefore('archives', page))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
}

/** @throws index-not-found */
export async function requireLivingIndex(
  tx: Transaction<CatalogSchema>,
  { id, name }: Archive['source'],
): Promise<void> {
  const row = await tx.selectFrom('indexes').select('state').where('id', '=', id).executeTakeFirst();
  if (row === undefined || row.state === 'Terminating') throw fault('index-not-found', { name });
}

/** @throws name-taken */
async function requireFreeName(tx: Transaction<CatalogSchema>, { projectId, name }: Archive): Promise<void> {
  const taken = await tx
    .selectFrom('archives')
    .select('id')
    .where('project_id', '=', projectId)
    .where('face', '=', 'collection')
    .where('name', '=', name)
    .executeTakeFirst();
  if (taken !== undefined) throw fault('name-taken');
}

/** @throws pending-restore-jobs */
async function requireNoRestores(tx: Transaction<CatalogSchema>, id: string): Promise<void> {
  const rows = await tx
    .selectFrom('jobs')
    .select('id')
    .where('subject', '=', id)
    .where('kind', 'in', ['restore', RECOVERY_KIND])
    .where('state', 'in', ACTIVE_JOB_STATES)
    .orderBy('created_at')
    .execute();
  if (rows.length === 0) return;
  throw fault('pending-restore-jobs', { ids: rows.map((row) => `'${row.id}'`).join(', ') });
}
