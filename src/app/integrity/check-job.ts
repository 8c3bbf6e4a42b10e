// The job that checks one index while it is served, and its last backup.
import type { Blobs } from '../../blobs/port.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { IndexDirectory } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import type { IndexCheck } from '../../domain/integrity/index-check.ts';
import { type CheckFindings, LISTED_IDS_MAX } from '../../domain/integrity/services.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';
import { JobFailure, type JobKind } from '../../jobs/port.ts';
import { retryWhileOverloaded } from '../../jobs/retry-while-overloaded.ts';
import { archiveProblem } from '../backups/check-archive.ts';
import { archivesOfIndex } from './archives-of-index.ts';

export const CHECK_KIND = 'check';
/** The share of the work that the index is, before its backup is read. */
const INDEX_PERCENT = 70;
const PERCENT_UNFINISHED_MAX = 99;

export interface CheckJobParts {
  readonly catalog: Pick<Catalog, 'archives'>;
  readonly blobs: Blobs;
  readonly engine: Pick<VectorStore, 'check'>;
  readonly directory: Pick<IndexDirectory, 'profile'>;
  readonly indexes: { byId(id: string): Index | undefined };
}

export function checkJob({
  catalog,
  blobs,
  engine,
  directory,
  indexes,
}: CheckJobParts): JobKind<unknown, CheckFindings> {
  return {
    kind: CHECK_KIND,
    run: async ({ job, signal, percent, checkpoint }) => {
      const index = indexes.byId(job.indexId ?? '');
      const profile = directory.profile(job.indexId ?? '');
      if (index === undefined || profile === undefined) throw new JobFailure('The index was deleted.');
      const check = await retryWhileOverloaded(signal, () =>
        engine.check(profile, {
          signal,
          onProgress: ({ bytes, bytesExpected }) =>
            percent(INDEX_PERCENT * Math.min(1, bytes / Math.max(1, bytesExpected))),
        }),
      );
      const [archive] = await archivesOfIndex(catalog, index);
      const onBytes = (bytes: number) =>
        percent(
          Math.min(
            PERCENT_UNFINISHED_MAX,
            INDEX_PERCENT + (bytes / Math.max(1, archive?.sizeBytes ?? 1)) * (100 - INDEX_PERCENT),
          ),
        );
      const backup =
        archive === undefined
          ? null
          : { id: archive.id, problem: await archiveProblem(blobs, archive, { signal, onBytes }) };
      await checkpoint({ check: bounded(check), backup });
    },
  };
}

/** The findings as a row of the catalog holds them. */
function bounded(check: IndexCheck): IndexCheck {
  let left = LISTED_IDS_MAX;
  const namespaces = check.namespaces.map((each) => {
    const lostIds = each.lostIds.slice(0, left);
    left -= lostIds.length;
    return { ...each, lostIds };
  });
  return { ...check, namespaces };
}
