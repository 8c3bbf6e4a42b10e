// An engine for tests: the reference model behind the data endpoints, in process.

import { runCall } from '../../../boot/engine/run-call.ts';
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { EngineCall, EngineReply } from '../../../engine/port/engine.ts';
import { type PackedRecords, unpackRecords } from '../../../engine/port/packed-records.ts';
import { NaiveIndex } from '../../../engine/reference/naive-index.ts';
import type { ChunkEngine } from '../ingestion/chunk-store.ts';

export class NaiveEngine implements ChunkEngine {
  readonly indexes = new Map<string, NaiveIndex>();
  readonly errors: unknown[] = [];
  /** Runs before each write; throws or waits to stand for a fault. */
  beforeWrite: (index: IndexProfile, count: number) => Promise<void> = async () => {};

  async createIndex(profile: IndexProfile): Promise<void> {
    if (!this.indexes.has(profile.id)) this.indexes.set(profile.id, new NaiveIndex(profile));
  }

  async dropIndex(id: string): Promise<void> {
    this.indexes.delete(id);
  }

  run(given: EngineCall): Promise<EngineReply> {
    const index = this.#index(given.index);
    // As on the way to a thread: what runs the call owns its body.
    const call = { ...given, body: given.body.map((piece) => Uint8Array.from(piece)) };
    return runCall(call, { reader: index, writer: index, onError: (error) => this.errors.push(error) });
  }

  async writeRecords(profile: IndexProfile, namespace: string, records: PackedRecords): Promise<number> {
    await this.beforeWrite(profile, records.count);
    return this.#index(profile).upsert(namespace, unpackRecords(records));
  }

  /** Records of an index. */
  size({ id }: Pick<IndexProfile, 'id'>): number {
    const { namespaces } = this.indexes.get(id)?.state() ?? { namespaces: [] };
    return namespaces.reduce((sum, { recordCount }) => sum + recordCount, 0);
  }

  #index({ id }: Pick<IndexProfile, 'id'>): NaiveIndex {
    const index = this.indexes.get(id);
    if (index === undefined) throw new Error(`no index ${id}`);
    return index;
  }
}
