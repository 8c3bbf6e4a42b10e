// Counts what a project uses of its quotas.
import type { ArchiveStore, AssistantFileStore, JobStore } from '../../catalog/port.ts';
import type { RestoreInput } from '../../domain/backups/services.ts';
import type { Index, IndexSize } from '../../domain/index-model.ts';
import { profileOf } from '../../domain/index-model.ts';
import { jobOfKind } from '../../domain/jobs.ts';
import type { ProjectUsage } from '../../domain/quotas.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { RESTORE_KINDS } from '../backups/job-kinds.ts';

const MEGABYTE = 1_000_000;

type Size = Pick<IndexSize, 'records' | 'bytes'>;

export interface UsageSources {
  /** Of all projects. */
  readonly indexes: () => Promise<readonly Index[]>;
  readonly engine: Pick<VectorStore, 'sizeOf'>;
  readonly files: Pick<AssistantFileStore, 'counts'>;
  readonly jobs: Pick<JobStore, 'active'>;
  readonly archives: Pick<ArchiveStore, 'find'>;
}

export async function projectUsage(sources: UsageSources, projectId: string): Promise<ProjectUsage> {
  const { indexes, engine, files } = sources;
  // Before the indexes: one that becomes Ready in between is measured, and not counted here.
  const restores = await restoresOf(sources, projectId);
  const own = (await indexes()).filter((index) => index.projectId === projectId);
  const ready = own.filter(({ state }) => state !== 'Initializing' && state !== 'Terminating');
  const measured = await Promise.allSettled(ready.map((index) => engine.sizeOf(profileOf(index))));
  // One whose files are damaged does not count: its error is for its own requests.
  const present = measured.flatMap((size) => (size.status === 'fulfilled' ? wholeOf(size.value) : []));
  const filled = own.filter(({ state }) => state === 'Initializing').map(({ id }) => restores.get(id));
  const sizes = [...present, ...(await comingSizes(sources, filled))];
  return {
    records: sizes.reduce((sum, { records }) => sum + records, 0),
    storageMegabytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE,
    indexes: own.filter(({ state }) => state !== 'Terminating').length,
    files: await projectFiles(files, projectId),
  };
}

/** A size, and that of what its branches show: a copy of the index makes them whole, when nobody can be refused. */
function wholeOf(size: IndexSize): readonly Size[] {
  return size.shared === undefined ? [size] : [size, size.shared];
}

/** The archives from which indexes are being filled, by the id of the index. */
async function restoresOf(
  { jobs }: Pick<UsageSources, 'jobs'>,
  projectId: string,
): Promise<ReadonlyMap<string, string>> {
  const active = await Promise.all(RESTORE_KINDS.map((kind) => jobs.active({ kind })));
  const own = active.flat().filter((job) => job.projectId === projectId);
  return new Map(
    own.map((job) => jobOfKind<RestoreInput>(job).input).map((to) => [to.indexId, to.archiveId]),
  );
}

/** What indexes have once they are filled; nothing is counted for one that no archive fills. */
async function comingSizes(
  { archives }: Pick<UsageSources, 'archives'>,
  archiveIds: readonly (string | undefined)[],
): Promise<readonly Size[]> {
  const found = await Promise.all(archiveIds.map((id) => (id === undefined ? null : archives.find(id))));
  return found.flatMap((archive) =>
    archive === null ? [] : { records: archive.recordCount, bytes: archive.sizeBytes },
  );
}

/** The files of all assistants of a project. */
export async function projectFiles(files: UsageSources['files'], projectId: string): Promise<number> {
  const counts = await files.counts(projectId);
  return counts.reduce((sum, { files: count }) => sum + count, 0);
}
