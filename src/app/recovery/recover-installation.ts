// Recovers a whole installation into an empty data directory.
import type { Catalog } from '../../catalog/port.ts';
import { withoutModelChange } from '../../domain/embedding/model-change.ts';
import { newId } from '../../domain/ids.ts';
import { type Index, isReady, storageIdOf } from '../../domain/index-model.ts';
import type { Job } from '../../domain/jobs.ts';
import { IMPORT_KIND } from '../import-export/imports/import-progress.ts';
import { resumedProgress } from '../index-job-starter.ts';
import { MODEL_CHANGE_KIND } from '../model-changes/model-change-job.ts';
import { REEMBED_KIND } from '../reembedding/reembed-progress.ts';
import { remakeAfterUndos } from './interrupted-undos.ts';
import type { RecoveryPlan } from './plan-recovery.ts';
import { Unrecoverable } from './plan-recovery.ts';
import { type RecoverStoragesParts, type RecoveryTarget, recoverStorages } from './recover-storages.ts';
import { type KnownStorage, storagesOfCatalog } from './recovered-storages.ts';

/** Jobs that depend on more than the log has: namespaces that nobody sees yet, and which records have changed. */
const ENDED_KINDS: ReadonlySet<string> = new Set([IMPORT_KIND, MODEL_CHANGE_KIND]);

/** Jobs that note how far they have come with the records: they begin anew, since these are of another moment. */
const RENEWED_KINDS: ReadonlySet<string> = new Set([REEMBED_KIND]);

/** The catalog may know an index so long before its files are there. */
const CREATION_MS_MAX = 60_000;

/** What a storage in the log becomes: an index gets storage of another id, so that cursors of its former one end. */
export interface RecoveredStorage {
  readonly storage: string;
  readonly newId: string;
  readonly title: string;
}

export interface InstallationParts extends RecoverStoragesParts {
  readonly catalog: Catalog;
  /** Whether an earlier run has made storage of this id. */
  readonly isMade: (id: string) => boolean;
}

/**
 * @param without names of indexes to be left out where they are not there
 * @throws Unrecoverable where storage that the catalog knows is not there
 */
export async function storagesToRecover(
  catalog: Parameters<typeof storagesOfCatalog>[0],
  plan: RecoveryPlan,
  without: readonly string[] = [],
): Promise<readonly RecoveredStorage[]> {
  const all = [...(await storagesOfCatalog(catalog)).values()].filter(isRecovered);
  const missing = new Map(
    all.flatMap((storage) => {
      const reason = whyMissing(storage, plan);
      return reason === null ? [] : [[storage, reason] as const];
    }),
  );
  const isLeftOut = (storage: KnownStorage) =>
    missing.has(storage) && storage.index !== null && without.includes(storage.index.name);
  const lacking = [...missing].filter(([storage]) => !isLeftOut(storage));
  if (lacking.length > 0) throw new Unrecoverable(textOf(lacking));
  const known = all.filter((storage) => !isLeftOut(storage));
  return known.map(({ profile, title, role }) => ({
    storage: profile.id,
    newId: role === 'answering' ? newId() : profile.id,
    title,
  }));
}

function textOf(lacking: readonly (readonly [KnownStorage, string])[]): string {
  const each = lacking.map(([{ title }, reason]) => `${title}: ${reason}`).join('; ');
  const names = lacking.flatMap(([{ index }]) => (index === null ? [] : `--without ${index.name}`));
  const offer = names.length === lacking.length ? `, or leave out what is missing: ${names.join(' ')}` : '';
  return `At that moment, not everything is there. ${each}. Choose another moment${offer}.`;
}

/** Null for what is there. What has no copy is empty only where the last look may have been before its first write. */
function whyMissing({ profile, createdAt }: KnownStorage, plan: RecoveryPlan): string | null {
  const known = plan.missing.get(profile.id);
  if (known !== undefined) return known;
  const isNew = createdAt === null || Date.parse(createdAt) > plan.told - CREATION_MS_MAX;
  return plan.storages.has(profile.id) || isNew ? null : 'no copy of it was whole at that moment';
}

/** Vectors of another model than the one that answers are made again where they are wanted. */
function isRecovered({ index, role }: KnownStorage): boolean {
  return role !== 'standby' && index?.state !== 'Initializing';
}

/** Safe to repeat after an interruption, with the same plan and storages. */
export async function recoverInstallation(
  parts: InstallationParts,
  plan: RecoveryPlan,
  storages: readonly RecoveredStorage[],
): Promise<void> {
  const { catalog, isMade } = parts;
  await remakeAfterUndos(catalog);
  const renamed = new Map(storages.map(({ storage, newId: id }) => [storage, id]));
  for (const index of await catalog.indexes.list()) await renameStorage(catalog, index, renamed);
  await failOthers(catalog, new Set(storages.map(({ newId: id }) => id)));
  await endJobs(catalog);
  const known = await storagesOfCatalog(catalog);
  const targets = storages.flatMap(({ storage, newId: id }): readonly RecoveryTarget[] => {
    const profile = known.get(id)?.profile;
    return profile === undefined ? [] : [{ storage, profile, isMade: isMade(id) }];
  });
  await recoverStorages(parts, plan, targets);
}

/** Ends, or begins anew, what cannot go on with the records of a moment. Safe to repeat. */
export async function endJobs({ jobs }: Pick<Catalog, 'jobs'>): Promise<void> {
  for (const job of await jobs.active({})) {
    const { id, kind, projectId, indexId, subject, createdAt } = job;
    const isRenewed = RENEWED_KINDS.has(kind) && !job.isCancelled && resumedProgress(job) !== null;
    // The later of two is the one that is asked about.
    const renewedAt = new Date(Date.parse(createdAt) + 1).toISOString();
    if (isRenewed && !(await isRenewedAlready(jobs, job)))
      await jobs.insert({ id: newId(), kind, projectId, indexId, subject, input: {}, createdAt: renewedAt });
    if (isRenewed || ENDED_KINDS.has(kind)) await jobs.cancel(id);
  }
}

/** True when this was interrupted before, after the new job was made. */
async function isRenewedAlready(jobs: Catalog['jobs'], { id, kind, indexId }: Job): Promise<boolean> {
  const active = await jobs.active({ kind, ...(indexId !== null && { indexId }) });
  return active.some((other) => other.id !== id && resumedProgress(other) === null);
}

async function renameStorage(
  catalog: Catalog,
  index: Index,
  renamed: ReadonlyMap<string, string>,
): Promise<void> {
  const storageId = renamed.get(storageIdOf(index));
  if (storageId === undefined) return;
  await catalog.indexes.update(index.id, (stored) => ({ ...withoutModelChange(stored), storageId }));
}

/** Only the names stay of those that are left out: their storage is not there. */
async function failOthers(catalog: Catalog, there: ReadonlySet<string>): Promise<void> {
  for (const index of await catalog.indexes.list())
    if (isReady(index.state) && !there.has(storageIdOf(index)))
      await catalog.indexes.update(index.id, (stored) => ({
        ...withoutModelChange(stored),
        state: 'InitializationFailed',
      }));
}
