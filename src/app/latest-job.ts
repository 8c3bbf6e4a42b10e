// Which of the jobs about one thing is the latest, and when the next one is created: in one order, though clocks are set.
import type { Catalog } from '../catalog/port.ts';
import type { Job } from '../domain/jobs.ts';

type Jobs = Pick<Catalog['jobs'], 'active' | 'list'>;

/** Jobs that follow each other. */
export interface JobsAbout {
  readonly projectId: string;
  readonly kind: string;
  /** Of an index or an assistant. */
  readonly indexId: string;
  /** Absent for all. */
  readonly subject?: string;
}

/** The active job, or else the newest: a clock that was ahead may have made one that has ended look newer. */
export async function latestJob(jobs: Jobs, about: JobsAbout): Promise<Job | undefined> {
  const { projectId: _, ...filter } = about;
  const active = await jobs.active(filter);
  return active.at(-1) ?? (await newestJob(jobs, about));
}

/**
 * When the next job is created, as an ISO time: now, but after all that there are. The clock may have been set back since:
 * the newest job is the one that was created last all the same.
 * @param abouts kinds of jobs that follow each other, too
 */
export async function nextJobAt(jobs: Jobs, ...abouts: readonly JobsAbout[]): Promise<string> {
  const newest = await Promise.all(abouts.map((about) => newestJob(jobs, about)));
  const times = newest.map((job) => (job === undefined ? 0 : Date.parse(job.createdAt) + 1));
  return new Date(Math.max(Date.now(), ...times)).toISOString();
}

async function newestJob(jobs: Jobs, about: JobsAbout): Promise<Job | undefined> {
  const { items } = await jobs.list(about, { limit: 1, after: null });
  return items[0];
}
