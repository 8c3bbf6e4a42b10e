// The service for collections: named archives of pod indexes.
import type { ProjectAccess } from '../../domain/access.ts';
import type { Archive } from '../../domain/backups/archive.ts';
import { requireCollectionSource, requireFit } from '../../domain/backups/archive-rules.ts';
import type { Collections } from '../../domain/backups/services.ts';
import { Fault, fault, invalid } from '../../domain/faults.ts';
import type { NewIndex } from '../../domain/index-lifecycle.ts';
import type { Index } from '../../domain/index-model.ts';
import { quoted } from '../../domain/quoted.ts';
import {
  type BackupServiceParts,
  beginRemoval,
  beginRestore,
  insertArchive,
  newArchive,
} from './backup-service.ts';
import { COLLECTION_RESTORE_JOB } from './job-kinds.ts';

export class CollectionService implements Collections {
  readonly #parts: BackupServiceParts;

  constructor(parts: BackupServiceParts) {
    this.#parts = parts;
  }

  async create(access: ProjectAccess, name: string, indexName: string): Promise<Archive> {
    const source = await this.#parts.indexes.describe(access, indexName);
    requireCollectionSource(source);
    const archive = newArchive(source, { face: 'collection', name, description: null });
    await insertArchive(this.#parts, archive);
    return archive;
  }

  list({ projectId }: ProjectAccess): Promise<readonly Archive[]> {
    return this.#parts.catalog.archives.listCollections(projectId);
  }

  async describe({ projectId }: ProjectAccess, name: string): Promise<Archive> {
    const archive = await this.#parts.catalog.archives.findCollection(projectId, name);
    if (archive === null) throw fault('collection-not-found', { name });
    return archive;
  }

  async remove(access: ProjectAccess, name: string): Promise<void> {
    await beginRemoval(this.#parts, await this.describe(access, name));
  }

  async requireSource(access: ProjectAccess, name: string): Promise<void> {
    await this.#source(access, name);
  }

  async #source({ projectId }: ProjectAccess, name: string): Promise<Archive> {
    const archive = await this.#parts.catalog.archives.findCollection(projectId, name);
    if (archive === null || archive.state === 'Terminating') throw noSource(name);
    return archive;
  }

  async createIndex(access: ProjectAccess, name: string, requested: NewIndex): Promise<Index> {
    const archive = await this.#source(access, name);
    if (archive.state !== 'Ready') throw invalid(`Collection ${name} is not ready.`);
    requireFit(archive, requested);
    const { quotas } = this.#parts;
    const begin = () => this.#begin(access, archive, requested);
    return quotas === undefined ? begin() : quotas.admitCopy(access, archive, begin);
  }

  async #begin(access: ProjectAccess, archive: Archive, requested: NewIndex): Promise<Index> {
    const { timeToLive, promisedRecall, memoryProfile } = archive.source;
    const index = await this.#parts.indexes.provision(access, {
      ...requested,
      ...(timeToLive !== undefined && { timeToLive }),
      ...(promisedRecall !== undefined && { promisedRecall }),
      ...(memoryProfile !== undefined && { memoryProfile }),
    });
    try {
      await beginRestore(this.#parts, { archive, index, kind: COLLECTION_RESTORE_JOB });
    } catch (error) {
      // It was deleted in the meantime.
      const isGone = error instanceof Fault && error.condition === 'backup-not-ready';
      throw isGone ? noSource(archive.name ?? '') : error;
    }
    return index;
  }
}

function noSource(name: string): Fault {
  return fault('source-collection-not-found', { name: quoted(name) });
}
