// The kinds of jobs behind backups and collections, their input, and how failures of their work are judged.
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { NewJob } from '../../domain/jobs.ts';
import { CopyFailed } from '../../engine/port/copy-failed.ts';
import { JobFailure } from '../../jobs/port.ts';
import { ArchiveDamaged } from './archive-format.ts';

/** Makes a backup or a collection. */
export const ARCHIVE_JOB = 'archive';
export const ARCHIVE_REMOVAL_JOB = 'archive-removal';
/** Makes an index of a backup: the jobs that restore jobs are. */
export const RESTORE_JOB = 'restore';
export const COLLECTION_RESTORE_JOB = 'collection-restore';

export interface ArchiveInput {
  readonly archiveId: string;
}

/** The engine makes so many copies at a time; others wait so long before they ask again. */
const BUSY_MS = 500;

export function newJob(facts: Omit<NewJob, 'id' | 'createdAt'>): NewJob {
  return { id: newId(), createdAt: new Date().toISOString(), ...facts };
}

/** Asks again while the engine has too much to do. */
export async function whenFree<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault) || error.condition !== 'overloaded') throw error;
      await sleep(BUSY_MS, undefined, { signal });
    }
  }
}

/** What cannot succeed by another try becomes a JobFailure. */
export function judged(error: unknown): unknown {
  const isForGood =
    error instanceof ArchiveDamaged ||
    (error instanceof CopyFailed && !error.isPassing) ||
    (error instanceof Fault && error.condition === 'index-not-found');
  return isForGood ? new JobFailure(error.message, error) : error;
}
