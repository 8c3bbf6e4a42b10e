// Puts a new storage of an index in the place of a damaged one, whose files are kept aside.
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IndexDescription } from '../../domain/index-description.ts';
import { type IndexProfile, profileOf, storageIdOf } from '../../domain/index-model.ts';
import { MOVE_LSN_AHEAD } from '../../domain/nodes/moves.ts';
import { syncFolder } from '../../platform/durable-files.ts';
import { CopyImporter } from './backup/import-copy.ts';
import { importFolder } from './backup/import-folder.ts';
import { salvageIndex } from './salvage-index.ts';
import { keepDescription } from './storage/index-description.ts';
import { indexFolder, removeFolder } from './storage/index-files.ts';
import { forgetLastCommit } from './storage/integrity/last-commit.ts';

/** Where damaged files are kept, in the data directory. Nobody removes them but the operator. */
const DAMAGED_FOLDER = 'damaged';

export interface Repaired {
  readonly records: number;
  /** Where the damaged files are now; null when there were none. */
  readonly keptAt: string | null;
}

/** Replaces the storage of an index by one that holds all its whole records. @throws FileDamage without records.mdb */
export async function repairFromRecords(
  dataDir: string,
  description: IndexDescription,
  onSaved: (records: number) => void,
): Promise<Repaired> {
  const profile = profileOf(description.index);
  const into = importFolder(dataDir, profile.id);
  removeFolder(into);
  const records = await salvageIndex(profile, indexFolder(dataDir, profile.id), { into, onSaved });
  return { records, keptAt: await swap(dataDir, description, into) };
}

/** Replaces the storage of an index by the content of a copy. @throws CopyFailed; what `content` throws */
export async function repairFromCopy(
  dataDir: string,
  description: IndexDescription,
  copy: { readonly content: AsyncIterable<Uint8Array>; readonly sha256: string },
): Promise<Repaired> {
  const profile: IndexProfile = profileOf(description.index);
  const finished = importFolder(dataDir, `${profile.id}-whole`);
  removeFolder(finished);
  const importer = new CopyImporter(profile, importFolder(dataDir, profile.id), MOVE_LSN_AHEAD);
  try {
    for await (const piece of copy.content) importer.write(piece);
    const { recordCount } = await importer.finish(finished, copy.sha256);
    return { records: recordCount, keptAt: await swap(dataDir, description, finished) };
  } catch (error) {
    await importer.abandon();
    throw error;
  }
}

async function swap(dataDir: string, description: IndexDescription, made: string): Promise<string | null> {
  await keepDescription(made, description);
  syncFolder(made);
  const folder = indexFolder(dataDir, storageIdOf(description.index));
  const keptAt = existsSync(folder)
    ? freePath(join(dataDir, DAMAGED_FOLDER, storageIdOf(description.index)))
    : null;
  if (keptAt !== null) {
    mkdirSync(dirname(keptAt), { recursive: true, mode: 0o700 });
    renameSync(folder, keptAt);
  }
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  forgetLastCommit(folder);
  renameSync(made, folder);
  for (const path of [dirname(folder), dirname(made), dataDir]) syncFolder(path);
  if (keptAt !== null) syncFolder(dirname(keptAt));
  return keptAt;
}

function freePath(path: string): string {
  for (let number = 1; ; number++) if (!existsSync(`${path}-${number}`)) return `${path}-${number}`;
}
