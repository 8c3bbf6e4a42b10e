// The job that re-embeds an assistant: processes the stored bytes of each file again, into new indexes.
import { isDeepStrictEqual } from 'node:util';
import { CHUNKER_VERSION, PARSER_VERSION } from '../../../documents/port.ts';
import type { Assistant, ChunkLocation } from '../../../domain/assistants/assistant.ts';
import type { FileRevision } from '../../../domain/assistants/file.ts';
import { newId } from '../../../domain/ids.ts';
import { JobFailure, type JobKind, type JobRun } from '../../../jobs/port.ts';
import { type AssistantInput, cleaningJob, REEMBED_JOB } from '../assistant-jobs.ts';
import { type ModelNames, modelsNow } from '../assistant-models.ts';
import { ChunkStore } from '../chunks/chunk-store.ts';
import type { AssistantDescriptions } from '../descriptions/assistant-descriptions.ts';
import { clearIfGone } from './clear-revision.ts';
import { type IngestParts, judged } from './ingest-job.ts';
import { processRevision } from './process-revision.ts';

/** A crash counts as a start. */
const ATTEMPTS_MAX = 10;
const PERCENT_UNFINISHED_MAX = 99;
const GIVEN_UP = 'The file could not be embedded again. Run: pinyon reembed --assistant.';

export interface ReembedParts extends IngestParts {
  /** Absent: nothing is kept for the day when the catalog is lost. */
  readonly descriptions?: Pick<AssistantDescriptions, 'noteAssistant'>;
  readonly models: ModelNames;
}

export interface ReembedProgress {
  /** The new location of chunks. */
  readonly place: ChunkLocation;
  /** Indexes to drop at the end. */
  readonly left: readonly string[];
  /** Id of the last processed revision, in the order of ids. */
  readonly after: string | null;
  /** Id of the revision that is being processed, which may be deleted meanwhile. Earlier releases stored none. */
  readonly remaking?: string | null;
  readonly remade: number;
  readonly failed: number;
}

type ReembedRun = JobRun<AssistantInput, ReembedProgress>;

export function assistantReembedKind(parts: ReembedParts): JobKind<AssistantInput, ReembedProgress> {
  return {
    kind: REEMBED_JOB,
    attemptsMax: ATTEMPTS_MAX,
    run: (run) => reembed(parts, run),
    undo: (job) => giveUp(parts, job),
  };
}

async function reembed(parts: ReembedParts, run: ReembedRun): Promise<void> {
  const { assistants, assistantRevisions } = parts.catalog;
  const isResumed = run.job.progress !== null;
  let progress = await planned(parts, run.job);
  await run.checkpoint(progress);
  const place = progress.place;
  const assistant = { ...(await assistantOf(parts, run.job)), ...place };
  await new ChunkStore(parts, assistant).create();
  if (!(await assistants.moveChunks(assistant.id, place))) throw new JobFailure('The assistant was deleted.');
  await parts.descriptions?.noteAssistant(assistant);
  await clearRemaking(parts, { input: run.job.input, progress });
  const stale = await assistantRevisions.ids({ assistantId: assistant.id, accepts: null }, ['stale']);
  const waiting = stale.toSorted().filter((id) => progress.after === null || id > progress.after);
  progress = { ...progress, remaking: waiting[0] ?? null };
  await run.checkpoint(progress);
  for (const [at, id] of waiting.entries()) {
    run.signal.throwIfAborted();
    const outcome = await remake(parts, run, {
      assistant,
      revisionId: id,
      // The one that was being processed: earlier releases did not store which it was.
      isRepeated: isResumed && at === 0,
    });
    const remaking = waiting[at + 1] ?? null;
    progress = { ...progress, after: id, remaking, [outcome]: progress[outcome] + 1 };
    run.percent(Math.min(PERCENT_UNFINISHED_MAX, (100 * (at + 1)) / waiting.length));
    await run.checkpoint(progress);
  }
  await dropIndexes(parts, progress.left);
}

/** Resumes an earlier run unless the models have changed again. */
async function planned(parts: ReembedParts, job: ReembedRun['job']): Promise<ReembedProgress> {
  const assistant = await assistantOf(parts, job);
  const before = job.progress;
  const models = modelsNow(parts.inference, parts.models);
  if (before !== null && isDeepStrictEqual(before.place.models, models)) return before;
  const { denseIndexId, sparseIndexId } = assistant;
  const now: ChunkLocation = { models: assistant.models, denseIndexId, sparseIndexId };
  const fresh = { after: null, remaking: before?.remaking ?? null, remade: 0, failed: 0 };
  const isCurrent = isDeepStrictEqual(now.models, models) && !(await isOutdated(parts, assistant));
  const place = isCurrent ? now : { models, denseIndexId: newId(), sparseIndexId: newId() };
  return { ...fresh, place, left: otherThan(place, [...indexesOf(before), ...idsOf(now)]) };
}

/** All that it knows of. */
function indexesOf(progress: ReembedProgress | null): readonly string[] {
  return progress === null ? [] : [...progress.left, ...idsOf(progress.place)];
}

type IndexIds = Pick<ChunkLocation, 'denseIndexId' | 'sparseIndexId'>;

function idsOf({ denseIndexId, sparseIndexId }: IndexIds): readonly string[] {
  return [denseIndexId, sparseIndexId];
}

function otherThan(place: IndexIds, ids: readonly string[]): readonly string[] {
  return [...new Set(ids).difference(new Set(idsOf(place)))];
}

/** Whether a file was read by an older parser or cut by an older chunker. */
async function isOutdated(parts: ReembedParts, { id: assistantId }: Assistant): Promise<boolean> {
  const live = await parts.catalog.assistantRevisions.ids({ assistantId, accepts: null }, ['live']);
  for (const id of live) {
    const processing = (await parts.catalog.assistantRevisions.find(id))?.processing;
    if (processing?.parser !== PARSER_VERSION || processing.chunker !== CHUNKER_VERSION) return true;
  }
  return false;
}

interface Remake {
  readonly assistant: Assistant;
  readonly revisionId: string;
  /** Whether an earlier run may have written some of its chunks. */
  readonly isRepeated: boolean;
}

/** Publishes each file when it is complete. A file that fails does not block the others. */
async function remake(
  parts: ReembedParts,
  run: Pick<JobRun, 'signal' | 'job'>,
  { assistant, revisionId, isRepeated }: Remake,
): Promise<'remade' | 'failed'> {
  const { assistantRevisions } = parts.catalog;
  const revision = await assistantRevisions.find(revisionId);
  if (revision?.state !== 'stale') return 'remade';
  try {
    await publish(parts, run, { assistant, revision, isRepeated });
    return 'remade';
  } catch (error) {
    const verdict = judged(error, run.job);
    if (!(verdict instanceof JobFailure)) throw verdict;
    // The next re-embedding may cut it otherwise, into the same indexes.
    await new ChunkStore(parts, assistant).removeRevision(revisionId);
    await assistantRevisions.failStale(revisionId, verdict.message);
    return 'failed';
  } finally {
    // Replaced or deleted meanwhile: its cleaning may have run before the last of its chunks were written.
    await clearIfGone(parts, { assistantId: assistant.id, revisionId });
  }
}

/** Removes what an earlier run has written of a revision after that was cleared. */
async function clearRemaking(
  parts: ReembedParts,
  { input, progress }: Pick<ReembedRun['job'], 'input' | 'progress'>,
): Promise<void> {
  const revisionId = progress?.remaking ?? null;
  if (revisionId !== null) await clearIfGone(parts, { ...input, revisionId });
}

async function publish(
  parts: ReembedParts,
  run: Pick<JobRun, 'signal'>,
  {
    assistant,
    revision,
    isRepeated,
  }: Pick<Remake, 'assistant' | 'isRepeated'> & { readonly revision: FileRevision },
): Promise<void> {
  const { assistantRevisions } = parts.catalog;
  const processed = await processRevision(parts, {
    assistant,
    revision,
    signal: run.signal,
    // Repeating one file is cheap.
    before: null,
    isRepeated,
    onWritten: async ({ written }, percent) => {
      if (written > 0) await assistantRevisions.progress(revision.id, percent);
    },
  });
  const outcome = await assistantRevisions.publish(revision.id, processed, (old) =>
    cleaningJob(assistant, old, { createdAt: processed.at }),
  );
  if (outcome === 'moved') throw new Error('the chunks of the assistant have moved');
}

/** Marks waiting files as failed; the next re-embedding includes them. */
async function giveUp(parts: ReembedParts, job: ReembedRun['job']): Promise<void> {
  const { assistants, assistantRevisions } = parts.catalog;
  const { assistantId } = job.input;
  const assistant = await assistants.byId(assistantId);
  const known = indexesOf(job.progress);
  await dropIndexes(parts, assistant === null ? known : otherThan(assistant, known));
  if (assistant?.state !== 'Ready') return;
  await clearRemaking(parts, job);
  const remaking = job.progress?.remaking ?? null;
  for (const id of await assistantRevisions.ids({ assistantId, accepts: null }, ['stale'])) {
    if (id === remaking) await new ChunkStore(parts, assistant).removeRevision(id);
    await assistantRevisions.failStale(id, job.error ?? GIVEN_UP);
  }
}

async function dropIndexes({ engine }: ReembedParts, ids: readonly string[]): Promise<void> {
  for (const id of ids) await engine.dropIndex(id);
}

/** @throws JobFailure when it is gone or goes */
async function assistantOf(parts: ReembedParts, { input }: ReembedRun['job']): Promise<Assistant> {
  const { assistantId } = input;
  const assistant = await parts.catalog.assistants.byId(assistantId);
  if (assistant?.state !== 'Ready') throw new JobFailure('The assistant was deleted.');
  return assistant;
}
