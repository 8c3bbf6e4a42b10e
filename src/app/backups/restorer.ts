// The jobs that fill a new index from an archive.

import type { Blobs } from '../../blobs/port.ts';
import type { ArchiveStore } from '../../catalog/port.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import type { RestoreInput } from '../../domain/backups/services.ts';
import { Fault } from '../../domain/faults.ts';
import type { IndexDirectory } from '../../domain/index-lifecycle.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { MOVE_LSN_AHEAD } from '../../domain/nodes/moves.ts';
import { RECOVERY_KIND } from '../../domain/nodes/takeover.ts';
import type { CopyDetails } from '../../engine/port/index-copies.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind, type JobRun } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import type { IndexProvisioner } from '../indexes/index-lifecycle.ts';
import { ArchiveDamaged } from './archive-format.ts';
import { judged, RESTORE_KINDS } from './job-kinds.ts';
import { openArchive } from './read-archive.ts';

/** The stream is almost all of the work. */
const PERCENT_OF_STREAM = 99;

export interface RestorerParts {
  readonly archives: Pick<ArchiveStore, 'find'>;
  readonly blobs: Blobs;
  readonly engine: Pick<VectorStore, 'copies'>;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  readonly provisioner: Pick<IndexProvisioner, 'byId' | 'ready' | 'fail'>;
}

/** Stored before the index is published: a run that another process has replaced publishes nothing. */
interface RestoreProgress {
  readonly isFilled: true;
}

export function restoreKinds(parts: RestorerParts): readonly JobKind<RestoreInput, RestoreProgress>[] {
  return RESTORE_KINDS.map((kind) => ({
    kind,
    run: (run) => restore(parts, run).catch((error: unknown) => Promise.reject(judged(error))),
    undo: ({ input }) => parts.provisioner.fail(input.indexId),
  }));
}

async function restore(parts: RestorerParts, run: JobRun<RestoreInput, RestoreProgress>): Promise<void> {
  const { archives, directory, provisioner } = parts;
  const { archiveId, indexId, indexName } = run.job.input;
  const archive = await archives.find(archiveId);
  if (archive === null) throw new JobFailure(`Backup ${archiveId} was deleted.`);
  const profile = directory.profile(indexId);
  const state = provisioner.byId(indexId)?.state;
  if (profile === undefined || state === 'Terminating')
    throw new JobFailure(`Index ${indexName} was deleted.`);
  // Already Ready: the process died before it recorded that, and the index may have new writes.
  if (state !== 'Initializing') return;
  const restored = (await leftBefore(parts, profile, run)) ?? (await fill(parts, { archive, profile }, run));
  if (restored.recordCount !== archive.recordCount || restored.namespaceCount !== archive.namespaceCount) {
    throw new ArchiveDamaged('it holds another number of records than it should');
  }
  await run.checkpoint({ isFilled: true });
  await provisioner.ready(indexId);
}

/** An index that an earlier attempt filled is whole, since filling is atomic; null when there is none. */
async function leftBefore(
  { engine }: RestorerParts,
  profile: IndexProfile,
  { job, signal }: JobRun<RestoreInput, RestoreProgress>,
): Promise<CopyDetails | null> {
  if (job.attempts === 1) return null;
  try {
    const copy = await retryWhileOverloaded(signal, () => engine.copies(profile).export({ signal }));
    await copy.release();
    return copy;
  } catch (error) {
    if (error instanceof Fault && error.condition === 'index-not-found') return null;
    throw error;
  }
}

function fill(
  { blobs, engine }: RestorerParts,
  { archive, profile }: { readonly archive: Archive; readonly profile: IndexProfile },
  { signal, percent, job }: JobRun<RestoreInput, RestoreProgress>,
): Promise<CopyDetails> {
  // No client's LSN is higher than what it reads, although the latest writes are lost.
  const ahead = job.kind === RECOVERY_KIND ? { lsnAhead: MOVE_LSN_AHEAD } : {};
  const onShare = (share: number): void => percent(share * PERCENT_OF_STREAM);
  return retryWhileOverloaded(signal, async () => {
    const { content, sha256 } = await openArchive(blobs, archive, { signal, onShare });
    return engine.copies(profile).import(content, { signal, sha256, ...ahead });
  });
}
