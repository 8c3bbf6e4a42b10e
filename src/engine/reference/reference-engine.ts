// The reference engine: the reference model behind the whole port. Exact and slow; the service can run on it in tests.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../domain/expiry/time-to-live.ts';
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import type { IndexCheck } from '../../domain/integrity/index-check.ts';
import { DIMENSION_MAX } from '../../domain/limits.ts';
import type { ChangedRecords } from '../port/changed-records.ts';
import { UNMEASURED } from '../port/engine-metrics.ts';
import { type IndexBranches, sourcesOf } from '../port/index-branches.ts';
import type { IndexCopies } from '../port/index-copies.ts';
import type { IndexHistory } from '../port/index-history.ts';
import { liveReader } from '../port/live-reader.ts';
import { liveWriter } from '../port/live-writer.ts';
import { neighborLists } from '../port/neighbor-lists.ts';
import { unpackRecords } from '../port/packed-records.ts';
import type { VectorReader, VectorWriter } from '../port/reader-and-writer.ts';
import type { StagedNamespaces } from '../port/staged-namespaces.ts';
import type { EngineCapabilities, EngineMetrics, VectorStore } from '../port/vector-store.ts';
import { assertWritable } from '../port/writable.ts';
import { exportState, importState, readState } from './reference-copies.ts';
import { type Changes, StoredIndex } from './stored-index.ts';

const CAPABILITIES: EngineCapabilities = {
  dimensionMax: DIMENSION_MAX,
  sparseExact: true,
  documents: true,
  ranksTexts: true,
  tracksChanges: true,
  history: false,
  branches: true,
  memoryProfiles: false,
  portableCopies: false,
  writeRecordsMax: 10_000,
  writeBytesMax: 2 ** 25,
  mergedRecordsMax: 10_000,
};
const JOURNAL = 'journal';

export class ReferenceEngine implements VectorStore {
  readonly capabilities = CAPABILITIES;
  readonly logs = null;
  readonly #folder: string | null;
  readonly #indexes = new Map<string, Promise<StoredIndex>>();
  readonly #dropped = new Set<string>();

  /** @param folder where journals are kept; null keeps everything in memory */
  constructor(folder: string | null = null) {
    this.#folder = folder;
  }

  async createIndex(profile: IndexProfile): Promise<void> {
    await this.#open(profile);
  }

  async dropIndex(indexId: string): Promise<void> {
    this.#dropped.add(indexId);
    const open = this.#indexes.get(indexId);
    this.#indexes.delete(indexId);
    await (await open)?.close();
    if (this.#folder !== null) rmSync(join(this.#folder, indexId), { recursive: true, force: true });
  }

  async sizeOf(profile: IndexProfile): Promise<{ records: number; bytes: number }> {
    if (!this.#exists(profile.id)) return { records: 0, bytes: 0 };
    const index = await this.#open(profile);
    return { records: recordsOf(index), bytes: index.bytesOnDisk };
  }

  async metrics(profiles: readonly IndexProfile[]): Promise<EngineMetrics> {
    const existing = profiles.filter(({ id }) => this.#exists(id) && !this.#dropped.has(id));
    const indexes = await Promise.all(
      existing.map(async (profile) => {
        const index = await this.#open(profile);
        return {
          indexId: profile.id,
          records: recordsOf(index),
          bytesOnDisk: index.bytesOnDisk,
          ...UNMEASURED,
        };
      }),
    );
    return { indexes, threads: [] };
  }

  /** All is in memory. */
  async reshape(): Promise<void> {}

  async earlierWrites({ id }: IndexProfile): Promise<void> {
    await (await this.#indexes.get(id))?.idle();
  }

  /** The model keeps no checksums: what it can read counts as whole. */
  async check(profile: IndexProfile): Promise<IndexCheck> {
    if (!this.#exists(profile.id)) throw fault('index-not-found', { name: profile.name });
    const { reader, bytesOnDisk } = await this.#open(profile);
    const { items } = await reader.listNamespaces({
      prefix: '',
      limit: Number.MAX_SAFE_INTEGER,
      after: null,
    });
    const namespaces = items.map(({ name, recordCount }) => ({
      name,
      records: recordCount,
      lost: 0,
      lostIds: [],
    }));
    return { problems: [], derived: [], namespaces, bytes: bytesOnDisk };
  }

  reader(profile: IndexProfile, clock?: Clock): VectorReader {
    const reader = async () => (await this.#open(profile)).reader;
    const all: VectorReader = {
      lsn: async () => (await reader()).lsn(),
      query: async (request) => (await reader()).query(request),
      explainQuery: async (request) => (await reader()).explainQuery(request),
      countedQuery: async (request) => (await reader()).countedQuery(request),
      fetch: async (namespace, ids, filter) => (await reader()).fetch(namespace, ids, filter),
      fetchByFilter: async (request) => (await reader()).fetchByFilter(request),
      count: async (namespace, filter, among) => (await reader()).count(namespace, filter, among),
      countValues: async (request) => (await reader()).countValues(request),
      listIds: async (request) => (await reader()).listIds(request),
      listNamespaces: async (request) => (await reader()).listNamespaces(request),
      recordCounts: async () => (await reader()).recordCounts(),
      describeNamespace: async (name) => (await reader()).describeNamespace(name),
      indexedFields: async (name) => (await reader()).indexedFields(name),
    };
    return liveReader(all, profile, clock);
  }

  writer(profile: IndexProfile, clock?: Clock): VectorWriter {
    const writer: VectorWriter = {
      upsert: (...args) => this.#change(profile, 'upsert', ...args),
      update: (...args) => this.#change(profile, 'update', ...args),
      updateMany: (...args) => this.#change(profile, 'updateMany', ...args),
      updateByFilter: (...args) => this.#change(profile, 'updateByFilter', ...args),
      deleteIds: (...args) => this.#change(profile, 'deleteIds', ...args),
      deleteByFilter: (...args) => this.#change(profile, 'deleteByFilter', ...args),
      deleteNamespace: (...args) => this.#change(profile, 'deleteNamespace', ...args),
      createNamespace: (...args) => this.#change(profile, 'createNamespace', ...args),
      removeExpired: (...args) => this.#change(profile, 'removeExpired', ...args),
    };
    const sources = async () => sourcesOf(await this.branches(profile).list());
    return liveWriter(writer, profile.timeToLive, { clock, sources });
  }

  copies(profile: IndexProfile): IndexCopies {
    return {
      export: async ({ signal } = {}) => {
        signal?.throwIfAborted();
        return exportState((await this.#openExisting(profile)).state(), profile);
      },
      import: async (bytes, options = {}) => {
        if (this.#exists(profile.id)) throw new Error(`the storage of index ${profile.id} exists already`);
        const { state, details } = await importState(profile, bytes, options);
        this.#dropped.delete(profile.id);
        await this.#change(profile, 'restore', state);
        return details;
      },
      read: async (options = {}) => {
        options.signal?.throwIfAborted();
        return readState((await this.#openExisting(profile)).state(), profile, options);
      },
      neighbors: (request) => neighborLists(this.reader(profile), request),
      write: async (namespace, records) => {
        assertWritable(records, profile, CAPABILITIES);
        return this.#change(profile, 'upsert', namespace, unpackRecords(records));
      },
    };
  }

  staging(profile: IndexProfile): StagedNamespaces {
    return {
      create: async (owner, namespaces) => {
        await (await this.#openExisting(profile)).change('stage', owner, namespaces);
      },
      write: async (owner, namespace, records) => {
        assertWritable(records, profile, CAPABILITIES);
        return this.#change(profile, 'writeStaged', owner, namespace, unpackRecords(records));
      },
      list: async () => (await this.#openExisting(profile)).staged(),
      publish: async (owner) => (await this.#openExisting(profile)).change('publish', owner),
      drop: async (owner) => (await this.#openExisting(profile)).change('dropStaged', owner),
    };
  }

  changed(profile: IndexProfile): ChangedRecords {
    return {
      track: async () => (await this.#openExisting(profile)).change('track'),
      forget: async () => {
        if (this.#exists(profile.id)) await (await this.#openExisting(profile)).change('forget');
      },
      list: async (limit) => (await this.#openExisting(profile)).changed(limit),
      settle: async (changed) => (await this.#openExisting(profile)).change('settle', changed),
    };
  }

  history(): IndexHistory {
    throw new Error('the reference engine keeps no history');
  }

  branches(profile: IndexProfile): IndexBranches {
    const branches = async () => (await this.#openExisting(profile)).branches;
    return {
      create: (branch) => this.#change(profile, 'createBranch', branch, Date.now()),
      list: async () => (await branches()).list(),
      differences: async (request) => (await branches()).differences(request),
      merge: (request) => this.#change(profile, 'mergeBranch', request),
      makeWhole: async (name) => (await branches()).makeWhole(name),
    };
  }

  async close(): Promise<void> {
    const indexes = [...this.#indexes.values()];
    this.#indexes.clear();
    for (const index of indexes) await (await index).close();
  }

  async #change<Name extends keyof Changes>(
    profile: IndexProfile,
    method: Name,
    ...args: Parameters<Changes[Name]>
  ): Promise<Awaited<ReturnType<Changes[Name]>>> {
    return (await this.#open(profile)).change(method, ...args);
  }

  #exists(indexId: string): boolean {
    if (this.#indexes.has(indexId)) return true;
    return this.#folder !== null && existsSync(join(this.#folder, indexId, JOURNAL));
  }

  /** @throws index-not-found */
  async #openExisting(profile: IndexProfile): Promise<StoredIndex> {
    if (!this.#exists(profile.id)) throw fault('index-not-found', { name: profile.name });
    return this.#open(profile);
  }

  /** Opens the index, or creates it. @throws index-not-found when it was dropped */
  async #open(profile: IndexProfile): Promise<StoredIndex> {
    if (this.#dropped.has(profile.id)) throw fault('index-not-found', { name: profile.name });
    const known = this.#indexes.get(profile.id);
    if (known !== undefined) return known;
    const { mergedRecordsMax } = CAPABILITIES;
    const opened = StoredIndex.open(profile, { path: this.#journalOf(profile.id), mergedRecordsMax });
    this.#indexes.set(profile.id, opened);
    return opened;
  }

  #journalOf(indexId: string): string | null {
    if (this.#folder === null) return null;
    const folder = join(this.#folder, indexId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, JOURNAL);
  }
}

function recordsOf(index: StoredIndex): number {
  return index.state().namespaces.reduce((sum, { recordCount }) => sum + recordCount, 0);
}
