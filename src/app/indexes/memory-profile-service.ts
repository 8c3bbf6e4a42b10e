// Sets and shows the memory profile of an index: what of it must be in memory to be searched.
import type { ProjectAccess } from '../../domain/access.ts';
import { invalid } from '../../domain/faults.ts';
import type { IndexLifecycle } from '../../domain/index-lifecycle.ts';
import { type Index, profileOf } from '../../domain/index-model.ts';
import {
  canBeOnDisk,
  DISK_PROFILE_DIMENSION_MIN,
  type MemoryProfile,
  type MemoryProfiles,
  type MemoryReport,
  profileInForce,
} from '../../domain/memory-profile.ts';
import { bytesInMemory } from '../../engine/port/engine-metrics.ts';
import type { VectorStore } from '../../engine/port/vector-store.ts';

export interface MemoryProfileParts {
  readonly indexes: Pick<IndexLifecycle, 'describe' | 'configure'>;
  readonly engine: Pick<VectorStore, 'capabilities' | 'metrics' | 'reshape'>;
  /** Of indexes that have none of their own. */
  readonly preset: MemoryProfile;
}

export class MemoryProfileService implements MemoryProfiles {
  readonly #parts: MemoryProfileParts;

  constructor(parts: MemoryProfileParts) {
    this.#parts = parts;
  }

  async describe(access: ProjectAccess, indexName: string): Promise<MemoryReport> {
    return this.#reportOf(await this.#parts.indexes.describe(access, indexName));
  }

  async set(access: ProjectAccess, indexName: string, profile: MemoryProfile): Promise<MemoryReport> {
    const { indexes, engine } = this.#parts;
    const { dimension } = await indexes.describe(access, indexName);
    if (profile === 'disk' && !engine.capabilities.memoryProfiles)
      throw invalid('The engine of this server, or its system, cannot keep an index on disk.');
    if (profile === 'disk' && !canBeOnDisk(dimension))
      throw invalid(
        `Only an index of dense vectors of ${DISK_PROFILE_DIMENSION_MIN} dimensions or more can be searched from disk.`,
      );
    return this.#reportOf(await this.#change(access, indexName, profile));
  }

  async end(access: ProjectAccess, indexName: string): Promise<void> {
    await this.#change(access, indexName, null);
  }

  async #change(
    access: ProjectAccess,
    indexName: string,
    memoryProfile: MemoryProfile | null,
  ): Promise<Index> {
    const { indexes, engine } = this.#parts;
    const index = await indexes.configure(access, indexName, { memoryProfile });
    await engine.reshape(profileOf(index));
    return index;
  }

  async #reportOf(index: Index): Promise<MemoryReport> {
    const { engine, preset } = this.#parts;
    const { indexes } = await engine.metrics([profileOf(index)]);
    const memory = indexes[0]?.memory ?? null;
    return {
      profile: index.memoryProfile ?? null,
      inForce: engine.capabilities.memoryProfiles ? profileInForce(index, preset) : 'memory',
      bytes: memory === null ? null : { memory: bytesInMemory(memory), disk: memory.codesInFile },
    };
  }
}
