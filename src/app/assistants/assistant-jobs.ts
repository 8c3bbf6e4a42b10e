// The kinds of jobs behind assistants, and their stored input.
import type { Assistant } from '../../domain/assistants/assistant.ts';
import type { FileRevision } from '../../domain/assistants/file.ts';
import { newId } from '../../domain/ids.ts';
import type { NewJob } from '../../domain/jobs.ts';

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

type Owner = Pick<Assistant, 'id' | 'projectId'>;

export interface AssistantInput {
  readonly assistantId: string;
}

export interface RevisionInput extends AssistantInput {
  readonly revisionId: string;
}

export function setupJob(assistant: Owner, createdAt: string): NewJob {
  return assistantJob(SETUP_JOB, assistant, { indexId: assistant.id, createdAt });
}

export function reembedJob(assistant: Owner, createdAt: string): NewJob {
  return assistantJob(REEMBED_JOB, assistant, { indexId: assistant.id, createdAt });
}

/** Has no index, because it ends the jobs of the index. */
export function removalJob(assistant: Owner, createdAt: string): NewJob {
  return assistantJob(REMOVAL_JOB, assistant, { indexId: null, createdAt });
}

export function ingestJob(assistant: Owner, revision: FileRevision): NewJob {
  return revisionJob(INGEST_JOB, assistant, { revision, createdAt: revision.createdAt });
}

export function cleaningJob(assistant: Owner, revision: FileRevision, createdAt: string): NewJob {
  return revisionJob(CLEANING_JOB, assistant, { revision, createdAt });
}

function assistantJob(
  kind: string,
  { id, projectId }: Owner,
  rest: Pick<NewJob, 'indexId' | 'createdAt'>,
): NewJob {
  const input: AssistantInput = { assistantId: id };
  return { id: newId(), kind, projectId, subject: id, input, ...rest };
}

function revisionJob(
  kind: string,
  { id, projectId }: Owner,
  { revision, createdAt }: { readonly revision: FileRevision; readonly createdAt: string },
): NewJob {
  const input: RevisionInput = { assistantId: id, revisionId: revision.id };
  return { id: newId(), kind, projectId, indexId: id, subject: revision.id, input, createdAt };
}
