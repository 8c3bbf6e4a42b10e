// Counts what a project uses of its quotas.
import type { AssistantFileStore } from '../../catalog/port.ts';
import type { Index } from '../../domain/index-model.ts';
import { profileOf } from '../../domain/index-model.ts';
import type { ProjectUsage } from '../../domain/quotas.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';

const MEGABYTE = 1_000_000;

export interface UsageSources {
  /** Of all projects. */
  readonly indexes: () => Promise<readonly Index[]>;
  readonly engine: Pick<VectorStore, 'sizeOf'>;
  readonly files: Pick<AssistantFileStore, 'counts'>;
}

export async function projectUsage(
  { indexes, engine, files }: UsageSources,
  projectId: string,
): Promise<ProjectUsage> {
  const own = (await indexes()).filter((index) => index.projectId === projectId);
  const ready = own.filter(({ state }) => state !== 'Initializing' && state !== 'Terminating');
  const measured = await Promise.allSettled(ready.map((index) => engine.sizeOf(profileOf(index))));
  // One whose files are damaged does not count: its error is for its own requests.
  const sizes = measured.flatMap((size) => (size.status === 'fulfilled' ? size.value : []));
  return {
    records: sizes.reduce((sum, { records }) => sum + records, 0),
    storageMegabytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0) / MEGABYTE,
    indexes: own.filter(({ state }) => state !== 'Terminating').length,
    files: await projectFiles(files, projectId),
  };
}

/** The files of all assistants of a project. */
export async function projectFiles(files: UsageSources['files'], projectId: string): Promise<number> {
  const counts = await files.counts(projectId);
  return counts.reduce((sum, { files: count }) => sum + count, 0);
}
