// Jobs over SQL: reading them, adding them, and the leases of their runners.
import type { Kysely } from 'kysely';
import type { PageQuery } from '../../domain/administration/pages.ts';
import { ACTIVE_JOB_STATES } from '../../domain/jobs.ts';
import { byCreation } from '../administration/page-of.ts';
import type { CatalogClock } from '../catalog-clock.ts';
import { isBefore } from '../newest-first.ts';
import type { CatalogSchema } from '../schema.ts';
import { leaseMethods } from './job-leases.ts';
import { insertJob, jobOf } from './job-rows.ts';
import type { JobFilter, JobStore } from './port.ts';

/** @param nodeId of this node, which then runs no job of what other nodes have; null where any node runs any job */
export function sqlJobs(db: Kysely<CatalogSchema>, clock: CatalogClock, nodeId: string | null): JobStore {
  return {
    insert: (job) => db.transaction().execute((tx) => insertJob(tx, job)),

    find: async ({ projectId, kind, id }) => {
      const row = await db
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', id)
        .where('project_id', '=', projectId)
        .where('kind', '=', kind)
        .executeTakeFirst();
      return row === undefined ? null : jobOf(row);
    },

    list: async (query, page) => {
      const rows = await listed(db, query, page).execute();
      return byCreation(rows.map(jobOf), page.limit);
    },

    active: async (filter) => {
      const rows = await filtered(db, filter)
        .where('state', 'in', ACTIVE_JOB_STATES)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(jobOf);
    },

    counts: async (projectId) => {
      const rows = await db
        .selectFrom('jobs')
        .select(({ fn }) => ['project_id', 'kind', 'state', fn.countAll().as('jobs')])
        .$if(projectId !== null, (query) => query.where('project_id', '=', projectId))
        .groupBy(['project_id', 'kind', 'state'])
        .orderBy('project_id')
        .orderBy('kind')
        .orderBy('state')
        .execute();
      return rows.map(({ project_id, kind, state, jobs }) => ({
        projectId: project_id,
        kind,
        state,
        jobs: Number(jobs),
      }));
    },

    ...leaseMethods(db, clock, nodeId),
  };
}

function listed(
  db: Kysely<CatalogSchema>,
  query: JobFilter & { readonly projectId: string },
  page: PageQuery,
) {
  return filtered(db, query)
    .where('project_id', '=', query.projectId)
    .where(isBefore('jobs', page))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
}

function filtered(db: Kysely<CatalogSchema>, { kind, indexId, subject }: JobFilter) {
  return db
    .selectFrom('jobs')
    .selectAll()
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
    .$if(indexId !== undefined, (query) => query.where('index_id', '=', indexId ?? ''))
    .$if(subject !== undefined, (query) => query.where('subject', '=', subject ?? ''));
}
