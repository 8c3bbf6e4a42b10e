// The kinds of jobs behind assistants, and their stored input.
import type { JobStore } from '../../catalog/port.ts';
import type { Assistant } from '../../domain/assistants/assistant.ts';
import type { FileRevision } from '../../domain/assistants/file.ts';
import { newId } from '../../domain/ids.ts';
import type { NewJob } from '../../domain/jobs.ts';
import { type JobsAbout, nextJobAt } from '../latest-job.ts';

/** Creates the indexes of an assistant. */
export const SETUP_JOB = 'assistant-setup';
/** Removes an assistant with everything that belongs to it. */
export const REMOVAL_JOB = 'assistant-removal';
/** Makes the content of a file searchable. */
export const INGEST_JOB = 'assistant-ingest';
/** Re-embeds all files with the present models. */
export const REEMBED_JOB = 'assistant-reembed';
/** Removes the chunks and bytes of a revision that no longer answers. */
export const CLEANING_JOB = 'assistant-cleaning';

/** Of the request for it. */
interface Removal extends Pick<NewJob, 'createdAt'>, Pick<AssistantInput, 'shownMs'> {}

type Owner = Pick<Assistant, 'id' | 'projectId'>;

export interface AssistantInput {
  readonly assistantId: string;
  /** How long after the request what is removed stays shown, in milliseconds; absent for no time. */
  readonly shownMs?: number;
}

export interface RevisionInput extends AssistantInput {
  readonly revisionId: string;
}

export function setupJob(assistant: Owner, createdAt: string): NewJob {
  return assistantJob(SETUP_JOB, assistant, { indexId: assistant.id, createdAt });
}

export function reembeddingsOf({ id, projectId }: Owner): JobsAbout {
  return { projectId, kind: REEMBED_JOB, indexId: id };
}

/** The next one after those that there are. */
export async function nextReembedJob(
  jobs: Pick<JobStore, 'active' | 'list'>,
  assistant: Owner,
): Promise<NewJob> {
  const createdAt = await nextJobAt(jobs, reembeddingsOf(assistant));
  return assistantJob(REEMBED_JOB, assistant, { indexId: assistant.id, createdAt });
}

/** Has no index, because it ends the jobs of the index. */
export function removalJob(assistant: Owner, removal: Removal): NewJob {
  return assistantJob(REMOVAL_JOB, assistant, { indexId: null, ...removal });
}

export function ingestJob(assistant: Owner, revision: FileRevision): NewJob {
  return revisionJob(INGEST_JOB, assistant, { revision, createdAt: revision.createdAt });
}

export function cleaningJob(assistant: Owner, revision: FileRevision, removal: Removal): NewJob {
  return revisionJob(CLEANING_JOB, assistant, { revision, ...removal });
}

function assistantJob(
  kind: string,
  { id, projectId }: Owner,
  { shownMs = 0, ...rest }: Pick<NewJob, 'indexId'> & Removal,
): NewJob {
  const input: AssistantInput = { assistantId: id, ...(shownMs > 0 && { shownMs }) };
  return { id: newId(), kind, projectId, subject: id, input, ...rest };
}

function revisionJob(
  kind: string,
  { id, projectId }: Owner,
  { revision, createdAt, shownMs = 0 }: Removal & { readonly revision: FileRevision },
): NewJob {
  const input: RevisionInput = {
    assistantId: id,
    revisionId: revision.id,
    ...(shownMs > 0 && { shownMs }),
  };
  return { id: newId(), kind, projectId, indexId: id, subject: revision.id, input, createdAt };
}
