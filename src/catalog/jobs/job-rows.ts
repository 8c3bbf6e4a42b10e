// Converts a job to a row of the catalog and back. Trusts the rows: only the catalog writes them.
import type { Insertable, Transaction } from 'kysely';
import type { Job, NewJob } from '../../domain/jobs.ts';
import { jsonText, parseJsonText } from '../../domain/json.ts';
import type { CatalogSchema, JobTable } from '../schema.ts';

/** When jobs are due that need not wait: no clock, of whichever node, delays them. */
export const AT_ONCE = new Date(0).toISOString();

/** Runs in the transaction that stores the job's subject, so that neither exists without the other. */
export async function insertJob(tx: Transaction<CatalogSchema>, job: NewJob): Promise<Job> {
  const row = rowOf(job);
  await tx.insertInto('jobs').values(row).execute();
  return jobOf(row);
}

function rowOf(job: NewJob): Insertable<JobTable> & JobTable {
  return {
    id: job.id,
    kind: job.kind,
    project_id: job.projectId,
    index_id: job.indexId,
    subject: job.subject,
    state: 'Pending',
    percent: 0,
    input: jsonText(job.input),
    progress: null,
    error: null,
    attempts: 0,
    cancelled: 0,
    lease_owner: null,
    lease_until: null,
    due_at: AT_ONCE,
    created_at: job.createdAt,
    started_at: null,
    finished_at: null,
  };
}

export function jobOf(row: JobTable): Job {
  return {
    id: row.id,
    kind: row.kind,
    projectId: row.project_id,
    indexId: row.index_id,
    subject: row.subject,
    state: row.state,
    percent: row.percent,
    input: parseJsonText(row.input),
    progress: row.progress === null ? null : parseJsonText(row.progress),
    error: row.error,
    isCancelled: row.cancelled === 1,
    attempts: row.attempts,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
