// Puts a new storage of an index in the place of a damaged one, whose files are kept aside.
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IndexDescription } from '../../domain/index-description.ts';
import { type IndexProfile, profileOf, storageIdOf } from '../../domain/index-model.ts';
import { MOVE_LSN_AHEAD } from '../../domain/nodes/moves.ts';
import { syncFolder, syncMade } from '../../platform/durable-files.ts';
import { CopyImporter } from './backup/import-copy.ts';
import { importFolder } from './backup/import-folder.ts';
import { salvageIndex } from './salvage-index.ts';
import { keepDescription } from './storage/index-description.ts';
import { indexFolder, isOnDisk, removeFolder } from './storage/index-files.ts';
import { FileDamage } from './storage/integrity/damage.ts';
import { forgetLastCommit } from './storage/integrity/last-commit.ts';
import { RECORDS } from './storage/integrity/sealed-records.ts';

/** Where damaged files are kept, in the data directory. Nobody removes them but the operator. */
const DAMAGED_FOLDER = 'damaged';

export interface Repaired {
  readonly records: number;
  /** Where the damaged files are now; null when there were none. */
  readonly keptAt: string | null;
}

export interface SavingOptions {
  /** Called with the number of records saved so far. */
  readonly onSaved: (records: number) => void;
  /** Heeded until the new files take the place of the damaged ones. */
  readonly signal: AbortSignal;
}

/**
 * Ends what a repair has left that was killed between its two moves: an index without files gets its own back. Call before
 * the index is checked.
 */
export function settleUnfinishedRepair(dataDir: string, storageId: string): void {
  const aside = asidePath(dataDir, storageId);
  if (!existsSync(aside)) return;
  const folder = indexFolder(dataDir, storageId);
  move(aside, existsSync(folder) ? keptPath(dataDir, storageId) : folder);
}

/**
 * Replaces the storage of an index by one that holds all its whole records.
 * @throws FileDamage without records.mdb; the signal's reason, with nothing changed
 */
export async function repairFromRecords(
  dataDir: string,
  description: IndexDescription,
  { onSaved, signal }: SavingOptions,
): Promise<Repaired> {
  const profile = profileOf(description.index);
  const folder = indexFolder(dataDir, profile.id);
  assertThere(dataDir, profile.id);
  const into = importFolder(dataDir, profile.id);
  removeFolder(into);
  try {
    const records = await salvageIndex(profile, folder, { into, onSaved, signal });
    return { records, keptAt: await swap(dataDir, description, { made: into, signal }) };
  } catch (error) {
    removeFolder(into);
    throw error;
  }
}

/** @throws FileDamage */
function assertThere(dataDir: string, storageId: string): void {
  const folder = indexFolder(dataDir, storageId);
  if (isOnDisk(folder)) return;
  const kept = lastKeptPath(dataDir, storageId);
  const offer =
    kept === null
      ? ''
      : `; an earlier repair has put files of the index aside: to save their records, move ${kept} to ${folder}, and repair again`;
  throw new FileDamage(join(folder, RECORDS), `it is missing${offer}`);
}

export interface WholeCopy {
  readonly content: AsyncIterable<Uint8Array>;
  readonly sha256: string;
  /** Heeded until the new files take the place of the damaged ones. */
  readonly signal: AbortSignal;
}

/**
 * Replaces the storage of an index by the content of a copy.
 * @throws CopyFailed; what `content` throws; the signal's reason, with nothing changed
 */
export async function repairFromCopy(
  dataDir: string,
  description: IndexDescription,
  { content, sha256, signal }: WholeCopy,
): Promise<Repaired> {
  const profile: IndexProfile = profileOf(description.index);
  const finished = importFolder(dataDir, `${profile.id}-whole`);
  removeFolder(finished);
  const importer = new CopyImporter(profile, importFolder(dataDir, profile.id), MOVE_LSN_AHEAD);
  try {
    for await (const piece of content) importer.write(piece);
    const { recordCount } = await importer.finish(finished, sha256);
    return { records: recordCount, keptAt: await swap(dataDir, description, { made: finished, signal }) };
  } catch (error) {
    await importer.abandon();
    removeFolder(finished);
    throw error;
  }
}

interface SwapParts {
  /** Where the new files are. */
  readonly made: string;
  readonly signal: AbortSignal;
}

/**
 * Until the new files are in place, the damaged ones have a name of their own, by which the next repair finds them.
 * @returns where they are at the end; null for none
 */
async function swap(
  dataDir: string,
  description: IndexDescription,
  { made, signal }: SwapParts,
): Promise<string | null> {
  const storageId = storageIdOf(description.index);
  await keepDescription(made, description);
  syncFolder(made);
  signal.throwIfAborted();
  const folder = indexFolder(dataDir, storageId);
  const aside = asidePath(dataDir, storageId);
  settleUnfinishedRepair(dataDir, storageId);
  const isThere = existsSync(folder);
  // What is known of the damaged files does not hold for those that take their place.
  forgetLastCommit(folder);
  if (isThere) move(folder, aside);
  try {
    move(made, folder);
  } catch (error) {
    if (isThere && !existsSync(folder)) move(aside, folder);
    throw error;
  }
  if (!isThere) return null;
  const keptAt = keptPath(dataDir, storageId);
  move(aside, keptAt);
  return keptAt;
}

function move(from: string, to: string): void {
  const made = mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  if (made !== undefined) syncMade(dirname(to), made);
  renameSync(from, to);
  for (const path of [dirname(to), dirname(from)]) syncFolder(path);
}

/** Where the damaged files are while others take their place. */
function asidePath(dataDir: string, storageId: string): string {
  return join(dataDir, DAMAGED_FOLDER, `${storageId}.part`);
}

/** A free path for the files of one more repair. */
function keptPath(dataDir: string, storageId: string): string {
  const path = join(dataDir, DAMAGED_FOLDER, storageId);
  for (let number = 1; ; number++) if (!existsSync(`${path}-${number}`)) return `${path}-${number}`;
}

/** Where the files of the latest repair are; null for none. */
function lastKeptPath(dataDir: string, storageId: string): string | null {
  const folder = join(dataDir, DAMAGED_FOLDER);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const last = names
    .filter((name) => name.startsWith(`${storageId}-`))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1);
  return last === undefined ? null : join(folder, last);
}
