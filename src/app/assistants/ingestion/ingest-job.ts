// The job that makes an upload searchable, then publishes it.
import type { Blobs } from '../../../blobs/port.ts';
import { DocumentRefusal } from '../../../documents/port.ts';
import { Fault } from '../../../domain/faults.ts';
import { type Job, JobFailure, type JobKind, JobPostponed, type JobRun } from '../../../jobs/port.ts';
import { cleaningJob, INGEST_JOB, type RevisionInput } from '../assistant-jobs.ts';
import { requireSameModels } from '../assistant-models.ts';
import { type ClearingParts, clearRevision } from './clear-revision.ts';
import { type ChunkProgress, type ProcessingParts, processRevision } from './process-revision.ts';

/** A crash counts as a start. */
const ATTEMPTS_MAX = 10;
const UNEXPECTED = 'The file could not be processed. Upload it again; the log of the server has the reason.';

export interface IngestParts extends ClearingParts, ProcessingParts {
  readonly blobs: Pick<Blobs, 'get' | 'put' | 'delete' | 'list'>;
}

export function ingestKind(parts: IngestParts): JobKind<RevisionInput, ChunkProgress> {
  return {
    kind: INGEST_JOB,
    attemptsMax: ATTEMPTS_MAX,
    run: async (run) => {
      try {
        await ingest(parts, run);
      } catch (error) {
        throw judged(error, run.job);
      }
    },
    undo: async (job) => {
      const { input } = job;
      const reason = job.error ?? UNEXPECTED;
      await parts.catalog.assistantRevisions.fail(input.revisionId, reason, new Date().toISOString());
      await clearRevision(parts, input);
    },
  };
}

/** Faults that the operator ends by setting the models back or embedding the assistant again. */
const OF_MODELS = new Set(['assistant-models-changed', 'unknown-model']);
/** Faults of providers, which pass. */
const OF_PROVIDERS = new Set(['model-unavailable', 'chat-unavailable', 'overloaded']);
/** From the upload on. Later, a provider that always fails may do so for this file alone. */
const OUTAGE_MS_MAX = 24 * 60 * 60_000;

/**
 * Turns errors that retrying cannot fix into a JobFailure with a sentence for the file's owner, and those that only the
 * operator can end, or the end of an outage, into a JobPostponed: an accepted upload waits for that.
 */
export function judged(error: unknown, { createdAt }: Pick<Job, 'createdAt'>): unknown {
  if (error instanceof DocumentRefusal) return new JobFailure(error.message, error);
  if (!(error instanceof Fault)) return error;
  const { condition, message } = error;
  if (condition === 'invalid-argument') return new JobFailure(message, error);
  const isOutage = OF_PROVIDERS.has(condition) && Date.now() - Date.parse(createdAt) < OUTAGE_MS_MAX;
  return isOutage || OF_MODELS.has(condition) ? new JobPostponed(message, error) : error;
}

async function ingest(parts: IngestParts, run: JobRun<RevisionInput, ChunkProgress>): Promise<void> {
  const { assistantId, revisionId } = run.job.input;
  const { progress: before, attempts } = run.job;
  const { assistants, assistantRevisions } = parts.catalog;
  const revision = await assistantRevisions.find(revisionId);
  const assistant = await assistants.byId(assistantId);
  if (revision?.state === 'live' || revision?.state === 'stale') return;
  if (assistant === null || revision?.state !== 'staged') throw new JobFailure('The file was deleted.');
  requireSameModels(parts.inference, assistant);
  const processed = await processRevision(parts, {
    assistant,
    revision,
    signal: run.signal,
    before,
    isRepeated: before !== null || attempts > 1,
    onWritten: async (progress, percent) => {
      run.percent(percent);
      await run.checkpoint(progress);
      if (progress.written > 0) await assistantRevisions.progress(revisionId, percent);
    },
  });
  const outcome = await assistantRevisions.publish(revisionId, processed, (old) =>
    cleaningJob(assistant, old, { createdAt: processed.at }),
  );
  if (outcome === 'gone') throw new JobFailure('The file was deleted.');
  // The retry writes to the new indexes.
  if (outcome === 'moved') throw new Error('the chunks of the assistant have moved');
}
