// Asks the quota once more when the work of a job begins: it was admitted before those ahead of it had added theirs.
import { Fault } from '../../domain/faults.ts';
import type { Job } from '../../domain/jobs.ts';
import { JobFailure } from '../../jobs/port.ts';

/** Called when a job begins that adds records. @throws quota-exceeded */
export type AdmitStart = (job: Pick<Job, 'projectId'>) => Promise<void>;

/** A job that has stored progress goes on, however much there is meanwhile. @throws JobFailure beyond the quota */
export async function admitFirstStart(admit: AdmitStart, job: Job): Promise<void> {
  if (job.progress !== null) return;
  try {
    await admit(job);
  } catch (error) {
    const isBeyond = error instanceof Fault && error.condition === 'quota-exceeded';
    throw isBeyond ? new JobFailure(error.message, error) : error;
  }
}
