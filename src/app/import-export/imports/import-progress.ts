// The progress of an import, as its job stores it.
import type { ImportColumns } from '../../../domain/imports/import-columns.ts';
import type { ImportDetails, ImportState, OnError } from '../../../domain/imports/import-model.ts';
import { type Job, jobOfKind } from '../../../domain/jobs.ts';
import type { ImportPosition } from '../../../file-formats/port.ts';

export const IMPORT_KIND = 'import';

export interface ImportInput {
  /** Of an upload only what callers see. */
  readonly uri: string;
  /** True where the files were uploaded. */
  readonly upload?: boolean;
  readonly onError: OnError;
  /** Fields that have other names in the files; absent where they have those of records. */
  readonly columns?: ImportColumns;
}

export interface ImportProgress {
  readonly planDigest: string;
  /** Stored names of the namespaces that this import creates. */
  readonly namespaces: readonly string[];
  readonly place: ImportPosition;
  readonly accepted: number;
  readonly refused: number;
  /** Of those refused, the files of which a part was not read; absent in imports of earlier releases. */
  readonly filesUnread?: number;
  /** Errors that are stored; absent in imports of earlier releases, which stored the first ones. */
  readonly errorsKept?: number;
  /** True while the import has only claimed its namespaces: it has looked for none of them and staged nothing yet. */
  readonly isClaim?: true;
  /** Null until all records are written and only publishing is left, and again while they are removed. */
  readonly recordsImported: number | null;
  /**
   * True with a number of records where it becomes null before these are removed. Absent in imports of earlier releases,
   * which removed them without a word.
   */
  readonly notesRemoval?: true;
}

/** Null before the plan exists. */
export function progressOf(job: Job): ImportProgress | null {
  return jobOfKind<ImportInput, ImportProgress>(job).progress;
}

export function inputOf(job: Job): ImportInput {
  return jobOfKind<ImportInput>(job).input;
}

const STATES: Readonly<Record<Job['state'], ImportState>> = {
  Pending: 'Pending',
  Running: 'InProgress',
  Undoing: 'InProgress',
  Completed: 'Completed',
  Failed: 'Failed',
  Cancelled: 'Cancelled',
};

/**
 * Returns the state of an import or export. One that is being undone after a failure is still in progress; a cancelled
 * one is Cancelled as soon as it cannot be completed any more.
 */
export function transferState({ state, isCancelled }: Job): ImportState {
  return state === 'Undoing' && isCancelled ? 'Cancelled' : STATES[state];
}

/** Returns the job as callers see it. */
export function importOf(job: Job): ImportDetails {
  const progress = progressOf(job);
  const state = transferState(job);
  const accepted = progress?.accepted ?? 0;
  // A failed or cancelled import keeps no records.
  const isKept = state === 'InProgress' || state === 'Completed';
  return {
    id: job.id,
    uri: inputOf(job).uri,
    state,
    createdAt: job.createdAt,
    finishedAt: job.finishedAt,
    percent: job.percent,
    recordsImported: isKept ? (progress?.recordsImported ?? accepted) : 0,
    rowsAccepted: accepted,
    rowsRefused: progress?.refused ?? 0,
    filesUnread: progress?.filesUnread ?? 0,
    error: state === 'Failed' ? job.error : null,
  };
}
