// The job kinds that create assistants, process their files, and remove both.
import { descriptionKeys } from '../../domain/assistants/descriptions.ts';
import { assistantKeys } from '../../domain/assistants/file.ts';
import type { JobKind, JobQueue } from '../../jobs/port.ts';
import {
  type AssistantInput,
  CLEANING_JOB,
  REMOVAL_JOB,
  type RevisionInput,
  SETUP_JOB,
} from './assistant-jobs.ts';
import { ChunkStore } from './chunks/chunk-store.ts';
import { removeBlobs } from './files/remove-blobs.ts';
import { clearRevision } from './ingestion/clear-revision.ts';
import { ingestKind } from './ingestion/ingest-job.ts';
import { assistantReembedKind, type ReembedParts } from './ingestion/reembed-job.ts';
import { type Pause, stayShown } from './stay-shown.ts';

/** Cleaning and removal must succeed eventually, whatever storage does meanwhile. */
const ATTEMPTS_MAX = 1_000;
const SETUP_ATTEMPTS_MAX = 5;

export interface AssistantKindParts extends ReembedParts {
  readonly jobs: Pick<JobQueue, 'endJobsOf'>;
  /** While what is removed is still shown. */
  readonly pause?: Pause;
}

export function assistantKinds(parts: AssistantKindParts): readonly JobKind[] {
  return [
    setupKind(parts),
    removalKind(parts),
    ingestKind(parts),
    assistantReembedKind(parts),
    cleaningKind(parts),
  ];
}

function setupKind(parts: AssistantKindParts): JobKind<AssistantInput> {
  const { assistants } = parts.catalog;
  return {
    kind: SETUP_JOB,
    attemptsMax: SETUP_ATTEMPTS_MAX,
    run: async ({ job }) => {
      const assistant = await assistants.byId(job.input.assistantId);
      // One that was adopted is Ready before it has its indexes.
      if (assistant?.state !== 'Initializing' && assistant?.state !== 'Ready') return;
      await new ChunkStore(parts, assistant).create();
      await parts.descriptions?.noteAssistant({ ...assistant, state: 'Ready' });
      await assistants.move(assistant.id, 'Ready');
    },
    undo: async (job) => {
      await assistants.move(job.input.assistantId, 'InitializationFailed');
    },
  };
}

function removalKind(parts: AssistantKindParts): JobKind<AssistantInput> {
  const { assistants } = parts.catalog;
  return {
    kind: REMOVAL_JOB,
    attemptsMax: ATTEMPTS_MAX,
    run: async ({ job, signal }) => {
      const assistant = await assistants.byId(job.input.assistantId);
      if (assistant === null) return;
      await parts.jobs.endJobsOf(assistant.id);
      signal.throwIfAborted();
      await new ChunkStore(parts, assistant).drop();
      await removeBlobs(parts.blobs, descriptionKeys(assistant.id));
      await removeBlobs(parts.blobs, assistantKeys(assistant.id));
      await stayShown(job, signal, parts.pause);
      await assistants.remove(assistant.id);
    },
  };
}

function cleaningKind(parts: AssistantKindParts): JobKind<RevisionInput> {
  return {
    kind: CLEANING_JOB,
    attemptsMax: ATTEMPTS_MAX,
    run: async ({ job, signal }) => {
      await stayShown(job, signal, parts.pause);
      await clearRevision(parts, job.input);
    },
  };
}
