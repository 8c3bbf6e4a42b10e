// An engine for tests: the reference engine in memory, with a hook before each bulk write.
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { IndexCopies } from '../../../engine/port/index-copies.ts';
import { ReferenceEngine } from '../../../engine/reference/reference-engine.ts';

export class HookedEngine extends ReferenceEngine {
  /** Indexes that exist, by id. */
  readonly indexes = new Map<string, IndexProfile>();
  /** Runs before each bulk write; throws or waits to stand for a fault. */
  beforeWrite: (index: IndexProfile, count: number) => Promise<void> = async () => {};

  override async createIndex(profile: IndexProfile): Promise<void> {
    this.indexes.set(profile.id, profile);
    await super.createIndex(profile);
  }

  override async dropIndex(id: string): Promise<void> {
    this.indexes.delete(id);
    await super.dropIndex(id);
  }

  override copies(profile: IndexProfile): IndexCopies {
    const copies = super.copies(profile);
    return {
      ...copies,
      write: async (namespace, records) => {
        await this.beforeWrite(profile, records.count);
        return copies.write(namespace, records);
      },
    };
  }

  /** Records of an index; 0 when it does not exist. */
  async size({ id }: Pick<IndexProfile, 'id'>): Promise<number> {
    const profile = this.indexes.get(id);
    return profile === undefined ? 0 : (await this.sizeOf(profile)).records;
  }
}
