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
    const title = `index ${index.name}`;
    add({ profile: storedProfileOf(index), title, role: 'answering', index });
    const standby = standbyIndex(index);
    if (standby !== null) add({ profile: storedProfileOf(standby), title, role: 'standby', index });
  }
  for (const { id } of await allProjects(catalog))
    for (const assistant of await allPages<Assistant>((page) => catalog.assistants.list(id, page))) {
      if (assistant.state === 'Terminating') continue;
      const { dense, sparse } = chunkIndexes(assistant);
      for (const profile of [dense, sparse])
        add({ profile, title: `assistant ${assistant.name}`, role: 'chunks', index: null });
    }
  return known;
}
