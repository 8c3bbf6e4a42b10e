// Which engine holds the records of a catalog's indexes: a start with the other one would show indexes without records.
import { allPages, allProjects } from '../../app/integrity/all-archives.ts';
import type { Catalog } from '../../catalog/port.ts';
import type { Settings } from '../settings.ts';
import { StartProblem } from '../start-problems.ts';

/** The setting of the catalog with the name of its engine. */
const SETTING = 'engine';

export type EngineName = Settings['engine'];

/** A catalog from before there was a choice has embedded indexes. */
export async function engineOf({ settings }: Pick<Catalog, 'settings'>): Promise<EngineName> {
  return (await settings.get(SETTING)) === 'postgres' ? 'postgres' : 'embedded';
}

/**
 * Notes the engine of a catalog without indexes and assistants.
 * @throws StartProblem when there are some: their records are in the other one
 */
export async function assertEngine(
  catalog: Pick<Catalog, 'settings' | 'indexes' | 'assistants' | 'administration'>,
  engine: EngineName,
): Promise<void> {
  const known = await engineOf(catalog);
  if (known === engine) return;
  const indexes = await catalog.indexes.list();
  if (indexes.length > 0)
    throw new StartProblem(
      `the records of the ${indexes.length} indexes in the catalog are in the ${known} engine, not in ${engine}. ` +
        `Set PINYON_ENGINE to ${known}, or make backups there with PINYON_BACKUP_FORM=portable, delete the indexes, and restore them with PINYON_ENGINE=${engine}.`,
    );
  const assistants = await countAssistants(catalog);
  if (assistants > 0)
    throw new StartProblem(
      `the texts of the ${assistants} assistants in the catalog are in the ${known} engine, not in ${engine}, and backups do not hold them. ` +
        `Set PINYON_ENGINE to ${known}, or delete the assistants there, and create them anew from their files with PINYON_ENGINE=${engine}.`,
    );
  await catalog.settings.set(SETTING, engine);
}

/** An assistant without files counts, too: its chunk indexes were made with it. */
async function countAssistants(catalog: Pick<Catalog, 'assistants' | 'administration'>): Promise<number> {
  let count = 0;
  for (const { id } of await allProjects(catalog))
    count += (await allPages((page) => catalog.assistants.list(id, page))).length;
  return count;
}
