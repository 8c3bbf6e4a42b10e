// Leases of jobs in SQL: each job has one runner at a time, and a dead runner loses its leases.

import { type ExpressionBuilder, type Kysely, sql, type Transaction } from 'kysely';
import { ACTIVE_JOB_STATES, FINISHED_JOBS_MAX, type Job } from '../../domain/jobs.ts';
import { jsonText } from '../../domain/json.ts';
import type { CatalogClock } from '../catalog-clock.ts';
import type { CatalogSchema, JobTable } from '../schema.ts';
import { hasBegun } from './has-begun.ts';
import { AT_ONCE, jobOf } from './job-rows.ts';
import type { Claim, JobOutcome, JobStore } from './port.ts';

type Methods = Pick<
  JobStore,
  'claim' | 'renew' | 'releaseAll' | 'saveProgress' | 'release' | 'cancel' | 'nextDue'
>;

/** Runners let a job wait for half of it at most: a later due time is of a clock that was ahead. */
const DUE_IN_MS_MAX = 120_000;
const UNLEASED = { lease_owner: null, lease_until: null } as const;

/**
 * Leases, due times, starts and ends are stored, and compared, by the shared clock. Times are converted in transactions,
 * whose begin tells the shared time: this node's clock may have been set since the last one.
 */
export function leaseMethods(db: Kysely<CatalogSchema>, clock: CatalogClock, nodeId: string | null): Methods {
  return {
    claim: (claim) =>
      claim.kinds.length === 0
        ? Promise.resolve(null)
        : db.transaction().execute(async (tx) => {
            const now = clock.toShared(claim.now);
            const row = await firstDue(tx, { ...claim, now }, nodeId);
            if (row === undefined) return null;
            const leaseUntil = clock.toShared(claim.leaseUntil);
            const change = started(row, { ...claim, now, leaseUntil });
            await tx.updateTable('jobs').set(change).where('id', '=', row.id).execute();
            return jobOf({ ...row, ...change });
          }),

    renew: (ids, { owner, leaseUntil }) =>
      ids.length === 0
        ? Promise.resolve(new Map())
        : db.transaction().execute(async (tx) => {
            await tx
              .updateTable('jobs')
              .set({ lease_until: clock.toShared(leaseUntil) })
              .where('lease_owner', '=', owner)
              .where('id', 'in', ids)
              .execute();
            const held = await tx
              .selectFrom('jobs')
              .select(['id', 'cancelled'])
              .where('lease_owner', '=', owner)
              .execute();
            return new Map(held.map(({ id, cancelled }) => [id, cancelled === 1]));
          }),

    releaseAll: async () => {
      await db.updateTable('jobs').set(UNLEASED).where('lease_owner', 'is not', null).execute();
    },

    saveProgress: async (id, owner, { percent, progress, admit }) => {
      const change = progress === undefined ? {} : { progress: jsonText(progress) };
      const save = async (db: Kysely<CatalogSchema>) => {
        const { numUpdatedRows } = await db
          .updateTable('jobs')
          .set({ percent, ...change })
          .where('id', '=', id)
          .where('lease_owner', '=', owner)
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      };
      if (admit === undefined) return save(db);
      return db.transaction().execute(async (tx) => {
        admit(await othersLike(tx, id));
        return save(tx);
      });
    },

    release: (id, owner, outcome, now) =>
      db.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom('jobs')
          .selectAll()
          .where('id', '=', id)
          .where('lease_owner', '=', owner)
          .executeTakeFirst();
        if (row === undefined) return;
        const change = { ...UNLEASED, ...after(row, inSharedTime(outcome, clock), clock.toShared(now)) };
        await tx.updateTable('jobs').set(change).where('id', '=', id).execute();
        if (change.finished_at !== undefined) await forgetOldest(tx, row);
      }),

    cancel: async (id) => {
      await db
        .updateTable('jobs')
        .set((row) => ({
          cancelled: 1,
          due_at: AT_ONCE,
          // Whoever holds the lease may still complete the job; otherwise nothing can.
          state: row
            .case()
            .when('lease_owner', 'is', null)
            .then('Undoing' as const)
            .else(row.ref('state'))
            .end(),
        }))
        .where('id', '=', id)
        .where('state', 'in', ['Pending', 'Running'])
        .execute();
    },

    nextDue: async (kinds) => {
      if (kinds.length === 0) return null;
      const row = await db
        .selectFrom('jobs')
        .select(({ fn }) => fn.min<string | null>('due_at').as('due'))
        .where('state', 'in', ACTIVE_JOB_STATES)
        .where('kind', 'in', kinds)
        .where('lease_owner', 'is', null)
        .$if(nodeId !== null, (query) => query.where((each) => isRunHere(each, nodeId ?? '')))
        .executeTakeFirst();
      return row?.due ? clock.toOwn(row.due) : null;
    },
  };
}

/** Active jobs of the kind and the index of a job. */
async function othersLike(tx: Transaction<CatalogSchema>, id: string): Promise<readonly Job[]> {
  const rows = await tx
    .selectFrom('jobs as others')
    .innerJoin('jobs as own', (join) =>
      join.onRef('own.kind', '=', 'others.kind').onRef('own.index_id', '=', 'others.index_id'),
    )
    .selectAll('others')
    .where('own.id', '=', id)
    .where('others.id', '!=', id)
    .where('others.state', 'in', ACTIVE_JOB_STATES)
    .execute();
  return rows.map(jobOf);
}

/** The first of the index whose turn it is. Jobs without an index have turns like those of one that had none yet. */
function firstDue(
  tx: Transaction<CatalogSchema>,
  { kinds, now, runningIds = [], servedIndexes = [] }: Claim,
  nodeId: string | null,
): Promise<JobTable | undefined> {
  const dueMax = new Date(Date.parse(now) + DUE_IN_MS_MAX).toISOString();
  const turns = servedIndexes.map((id, turn) => sql`when ${id} then ${sql.lit(turn + 1)}`);
  return tx
    .selectFrom('jobs')
    .selectAll()
    .where('state', 'in', ACTIVE_JOB_STATES)
    .where('kind', 'in', kinds)
    .where(({ or, eb }) => or([eb('due_at', '<=', now), eb('due_at', '>', dueMax)]))
    .where(({ or, eb }) => or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
    .$if(runningIds.length > 0, (query) => query.where('id', 'not in', runningIds))
    .$if(nodeId !== null, (query) => query.where((each) => isRunHere(each, nodeId ?? '')))
    .$if(turns.length > 0, (query) => query.orderBy(sql`case index_id ${sql.join(turns, sql` `)} else 0 end`))
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/**
 * True for jobs of what this node has, and of nothing in particular. What is being switched to another node waits: its
 * jobs that have begun end before. A removal of an assistant has the assistant as its subject.
 */
function isRunHere(jobs: ExpressionBuilder<CatalogSchema, 'jobs'>, nodeId: string) {
  const { not, exists, selectFrom } = jobs;
  return not(
    exists(
      selectFrom('placements')
        .select('placements.id')
        .where(({ or, eb }) =>
          or([
            eb('placements.id', '=', eb.ref('jobs.index_id')),
            eb('placements.id', '=', eb.ref('jobs.subject')),
          ]),
        )
        .where(({ or, and, eb }) =>
          or([
            eb('placements.node_id', '!=', nodeId),
            and([eb('placements.is_held', '=', 1), not(hasBegun(jobs))]),
          ]),
        ),
    ),
  );
}

function inSharedTime(outcome: JobOutcome, clock: CatalogClock): JobOutcome {
  if (outcome.kind !== 'again' || outcome.dueAt === null) return outcome;
  return { ...outcome, dueAt: clock.toShared(outcome.dueAt) };
}

/** A job that was cancelled while nobody held it is never started. */
function started(row: JobTable, { owner, now, leaseUntil }: Claim): Partial<JobTable> {
  const lease = { lease_owner: owner, lease_until: leaseUntil };
  if (row.state === 'Undoing' || row.cancelled === 1) return { ...lease, state: 'Undoing' };
  return {
    ...lease,
    state: 'Running',
    attempts: row.attempts + 1,
    started_at: row.started_at ?? now,
  };
}

function after(row: JobTable, outcome: JobOutcome, now: string): Partial<JobTable> {
  switch (outcome.kind) {
    case 'completed':
      if (outcome.unlessCancelled === true && row.cancelled === 1)
        return { state: 'Undoing', due_at: AT_ONCE, error: null };
      return { state: 'Completed', percent: 100, finished_at: now, error: null };
    case 'again': {
      const due_at = outcome.dueAt ?? AT_ONCE;
      // A job that is being undone keeps its state and its error; unlike a start, its claim has counted nothing.
      if (row.state === 'Undoing')
        return { due_at, attempts: outcome.counts ? row.attempts + 1 : row.attempts };
      const attempts = outcome.counts ? row.attempts : row.attempts - 1;
      if (row.cancelled === 1) return { state: 'Undoing', due_at: AT_ONCE, attempts, error: null };
      return { due_at, attempts, error: outcome.error };
    }
    case 'undo':
      return { state: 'Undoing', due_at: AT_ONCE, error: outcome.error };
    case 'undone':
      return { state: row.cancelled === 1 ? 'Cancelled' : 'Failed', finished_at: now };
  }
}

/** Keeps the newest finished jobs of the project and kind. */
async function forgetOldest(tx: Transaction<CatalogSchema>, { project_id, kind }: JobTable): Promise<void> {
  const kept = tx
    .selectFrom('jobs')
    .select('id')
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('finished_at', 'is not', null)
    .orderBy('finished_at', 'desc')
    .orderBy(sql.ref('id'))
    .limit(FINISHED_JOBS_MAX);
  await tx
    .deleteFrom('jobs')
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('finished_at', 'is not', null)
    .where('id', 'not in', kept)
    .execute();
}
