// The storage of records that the catalog knows, with what the engine needs to open it.
import type { Assistant, Catalog } from '../../catalog/port.ts';
import { chunkIndexes } from '../../domain/assistants/assistant.ts';
import { standbyIndex } from '../../domain/embedding/model-change.ts';
import { type Index, type IndexProfile, storedProfileOf } from '../../domain/index-model.ts';
import { allPages, allProjects } from '../integrity/all-archives.ts';

export interface KnownStorage {
  readonly profile: IndexProfile;
  /** For people. */
  readonly title: string;
  /** Chunks of assistants; vectors of an index that answer; or those of another model beside them. */
  readonly role: 'chunks' | 'answering' | 'standby';
  /** When the index or assistant was created, as ISO 8601; null while its files may not be there yet. */
  readonly createdAt: string | null;
  /** Null for chunks. */
  readonly index: Index | null;
}

/** By the id of the storage. */
export async function storagesOfCatalog(
  catalog: Pick<Catalog, 'indexes' | 'assistants' | 'administration'>,
): Promise<ReadonlyMap<string, KnownStorage>> {
  const known = new Map<string, KnownStorage>();
  const add = (storage: KnownStorage) => known.set(storage.profile.id, storage);
  for (const index of await catalog.indexes.list()) {
    if (index.state === 'Terminating' || index.state === 'InitializationFailed') continue;
    const common = { title: `index ${index.name}`, createdAt: index.createdAt, index };
    add({ ...common, profile: storedProfileOf(index), role: 'answering' });
    const standby = standbyIndex(index);
    if (standby !== null) add({ ...common, profile: storedProfileOf(standby), role: 'standby' });
  }
  for (const { id } of await allProjects(catalog))
    for (const assistant of await allPages<Assistant>((page) => catalog.assistants.list(id, page))) {
      if (assistant.state === 'Terminating') continue;
      const { dense, sparse } = chunkIndexes(assistant);
      const createdAt = assistant.state === 'Initializing' ? null : assistant.createdAt;
      const common = { title: `assistant ${assistant.name}`, createdAt, index: null };
      for (const profile of [dense, sparse]) add({ ...common, profile, role: 'chunks' });
    }
  return known;
}
