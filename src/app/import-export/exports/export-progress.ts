// The progress of an export, as its job stores it.
import type { ExportDetails, RequestedExport } from '../../../domain/imports/export-model.ts';
import type { RecordFormat } from '../../../domain/imports/record-format.ts';
import { type Job, jobOfKind } from '../../../domain/jobs.ts';
import { transferState } from '../imports/import-progress.ts';

export const EXPORT_KIND = 'export';

export interface ExportProgress {
  /** True once the folder was found empty, and may hold files of this export. */
  readonly hasBegun: true;
  readonly records: number;
  readonly bytes: number;
}

/** A checked request. */
export interface ExportInput extends RequestedExport {
  readonly format: RecordFormat;
}

export function exportInputOf(job: Job): ExportInput {
  return jobOfKind<ExportInput>(job).input;
}

export function exportProgressOf(job: Job): ExportProgress | null {
  return jobOfKind<ExportInput, ExportProgress>(job).progress;
}

/** Returns the job as callers see it. */
export function exportOf(job: Job): ExportDetails {
  const progress = exportProgressOf(job);
  const state = transferState(job);
  const isKept = state === 'InProgress' || state === 'Completed';
  return {
    ...exportInputOf(job),
    id: job.id,
    state,
    createdAt: job.createdAt,
    finishedAt: job.finishedAt,
    percent: job.percent,
    recordsExported: isKept ? (progress?.records ?? 0) : 0,
    bytesWritten: isKept ? (progress?.bytes ?? 0) : 0,
    error: state === 'Failed' ? job.error : null,
  };
}
