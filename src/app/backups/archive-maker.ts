// The jobs that create and remove archives.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Blobs } from '../../blobs/port.ts';
import type { ArchiveStore, JobStore } from '../../catalog/port.ts';
import { differingSlots } from '../../domain/embedding/model-change.ts';
import { type Index, type IndexProfile, profileOf } from '../../domain/index-model.ts';
import type { CopyForm } from '../../engine/port/copy-forms.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { clearArchive } from './clear-archive.ts';
import { ARCHIVE_JOB, ARCHIVE_REMOVAL_JOB, type ArchiveInput, judged } from './job-kinds.ts';
import { writeArchive } from './write-archive.ts';

/** The stream is almost all of the work. */
const PERCENT_OF_STREAM = 99;
const WAIT_MS = 200;

export interface ArchiveMakerParts {
  readonly archives: ArchiveStore;
  readonly jobs: Pick<JobStore, 'active'>;
  readonly blobs: Blobs;
  readonly engine: Pick<VectorStore, 'copies'>;
  readonly indexById: (id: string) => Index | undefined;
  /** Of new archives; default fast. */
  readonly copyForm?: CopyForm;
  readonly cancel: (jobId: string) => Promise<void>;
}

/** Stored before each part and the manifest: a run that another process has replaced writes none of them. */
interface ArchiveProgress {
  readonly partsStored: number;
}

export function archiveKind(parts: ArchiveMakerParts): JobKind<ArchiveInput, ArchiveProgress> {
  return {
    kind: ARCHIVE_JOB,
    run: (run) => make(parts, run).catch((error: unknown) => Promise.reject(judged(error))),
    beforeUndo: async ({ input }) => {
      const archive = await parts.archives.find(input.archiveId);
      return archive?.state === 'Ready' ? 'completed' : null;
    },
    undo: async ({ input }) => {
      // First, since the storage may be what has failed: nobody waits for it to learn that.
      await parts.archives.fail(input.archiveId);
      await clearArchive(parts.blobs, input.archiveId);
    },
    undoNeedsIndex: false,
  };
}

/** Every attempt starts over, since the snapshot of an earlier one is gone. */
async function make(
  { archives, blobs, engine, indexById, copyForm: form }: ArchiveMakerParts,
  { job, signal, percent, checkpoint }: JobRun<ArchiveInput, ArchiveProgress>,
): Promise<void> {
  const archive = await archives.find(job.input.archiveId);
  if (archive?.state !== 'Initializing') return;
  const index = indexById(archive.source.id);
  if (index === undefined) throw new JobFailure(`Index ${archive.source.name} was deleted.`);
  const profile = profileOfThen(archive.source, index);
  await clearArchive(blobs, archive.id);
  const copy = await retryWhileOverloaded(signal, () => engine.copies(profile).export({ signal, form }));
  try {
    const onBytes = (bytes: number): void =>
      percent(Math.min(1, bytes / copy.bytesExpected) * PERCENT_OF_STREAM);
    const onPart = (partsStored: number): Promise<void> => checkpoint({ partsStored });
    const written = await writeArchive(blobs, { archive, copy }, { signal, onBytes, onPart });
    await archives.complete(archive.id, written);
  } finally {
    await copy.release();
  }
}

/**
 * The profile of the vectors that an archive is of: its index may have changed since the archive was requested.
 * @throws JobFailure when they are gone
 */
function profileOfThen(source: Index, index: Index): IndexProfile {
  const known = profileOf(index);
  const { id, dimension, documents } = profileOf(source);
  if (id === known.id) return known;
  // A change of the model keeps the vectors of then for a while; a move keeps none, and changes no vectors.
  const isElsewhere = source.placement?.epoch !== index.placement?.epoch;
  if (!isElsewhere) return { ...known, id, dimension, documents };
  if (dimension !== known.dimension || differingSlots(source, index).size > 0)
    throw new JobFailure(`The model of index ${index.name} was changed since. Back it up again.`);
  return known;
}

export function archiveRemovalKind(parts: ArchiveMakerParts): JobKind<ArchiveInput> {
  return {
    kind: ARCHIVE_REMOVAL_JOB,
    // Retrying forever does no harm: until the archive is removed, its row says Terminating.
    attemptsMax: Number.POSITIVE_INFINITY,
    run: async ({ job, signal }) => {
      const { archiveId } = job.input;
      await endWorkOn(parts, job.id, archiveId, signal);
      await clearArchive(parts.blobs, archiveId);
      await parts.archives.remove(archiveId);
    },
  };
}

/** Cancels the job that creates the archive; lets readers finish. */
async function endWorkOn(
  { jobs, cancel }: ArchiveMakerParts,
  ownId: string,
  archiveId: string,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const others = (await jobs.active({ subject: archiveId })).filter(({ id }) => id !== ownId);
    if (others.length === 0) return;
    for (const { id, kind, isCancelled } of others)
      if (kind === ARCHIVE_JOB && !isCancelled) await cancel(id);
    await sleep(WAIT_MS, undefined, { signal });
  }
}
