// The kinds of jobs behind backups and collections, their input, and the classification of their failures.
import { Fault } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import type { NewJob } from '../../domain/jobs.ts';
import { RECOVERY_KIND } from '../../domain/nodes/takeover.ts';
import { CopyFailed } from '../../engine/port/copy-failed.ts';
import { JobFailure } from '../../jobs/port.ts';
import { ArchiveDamaged } from './archive-format.ts';

/** Creates a backup or a collection. */
export const ARCHIVE_JOB = 'archive';
export const ARCHIVE_REMOVAL_JOB = 'archive-removal';
/** Fills an index from a backup; callers see these jobs as restore jobs. */
export const RESTORE_JOB = 'restore';
export const COLLECTION_RESTORE_JOB = 'collection-restore';
/** All that fill an index from an archive. */
export const RESTORE_KINDS: readonly string[] = [RESTORE_JOB, COLLECTION_RESTORE_JOB, RECOVERY_KIND];

export interface ArchiveInput {
  readonly archiveId: string;
}

export function newJob(fields: Omit<NewJob, 'id' | 'createdAt'>): NewJob {
  return { id: newId(), createdAt: new Date().toISOString(), ...fields };
}

/** Turns errors that retrying cannot fix into a JobFailure. */
export function judged(error: unknown): unknown {
  const isForGood =
    error instanceof ArchiveDamaged ||
    (error instanceof CopyFailed && !error.isPassing) ||
    (error instanceof Fault && error.condition === 'index-not-found');
  return isForGood ? new JobFailure(error.message, error) : error;
}
