// The backups from which an index can be restored.
import type { Archive, Catalog } from '../../catalog/port.ts';
import type { Index } from '../../domain/index-model.ts';

/** More are of no use to a repair. */
const ARCHIVES_MAX = 1_000;

/** The complete backups and collections of an index, the newest first. */
export async function archivesOfIndex(
  { archives }: Pick<Catalog, 'archives'>,
  { id, projectId }: Pick<Index, 'id' | 'projectId'>,
): Promise<readonly Archive[]> {
  const page = { limit: ARCHIVES_MAX, after: null };
  const { items } = await archives.list({ projectId, face: 'backup', sourceIndexId: id }, page);
  const collections = await archives.listCollections(projectId);
  return [...items, ...collections.filter(({ source }) => source.id === id)]
    .filter(({ state }) => state === 'Ready')
    .sort((one, other) => (one.createdAt > other.createdAt ? -1 : 1));
}
