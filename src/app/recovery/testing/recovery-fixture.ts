// A naive installation for tests of the recovery log: indexes that are lists of writes, a catalog that is one page, and
// storage that fails on request.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openFolderBlobs } from '../../../blobs/folder/open-folder-blobs.ts';
import { type Blobs, BlobsUnavailable } from '../../../blobs/port.ts';
import type { Catalog, CatalogPages } from '../../../catalog/port.ts';
import type { Index, IndexProfile } from '../../../domain/index-model.ts';
import type { IndexCopies } from '../../../engine/port/index-copies.ts';
import type { VectorStore } from '../../../engine/port/vector-store.ts';
import {
  decodeChange,
  encodeChange,
  encodedChanges,
  type WriteLogs,
} from '../../../engine/port/write-log.ts';
import { NEW_INDEX } from '../../indexes/testing/control-plane.ts';
import { LogShipper } from '../log-shipper.ts';
import { planRecovery, type RecoveryPlan, Unrecoverable } from '../plan-recovery.ts';
import { listTimelines, readTimeline } from '../read-timelines.ts';
import { recoverCatalog } from '../recover-catalog.ts';
import { storagesToRecover } from '../recover-installation.ts';
import { recoverStorages } from '../recover-storages.ts';

export const DAY_MS = 86_400_000;
const PAGE_BYTES = 512;
const CREATED_AT = '2026-06-01T00:00:00.000Z';

interface Write {
  readonly lsn: number;
  readonly ms: number;
}

/** What the next request to the storage does, where it is not to work. */
export type BlobFault = 'refused' | 'answer-lost';

export class RecoveryFixture {
  #now = Date.parse('2026-07-01T00:00:00Z');
  #elapsedMs = 0;
  readonly indexes = new Map<string, { writes: Write[]; droppedUpTo: number }>();
  /** Of the next writes of blobs, in their order; null for one that works. */
  faults: (BlobFault | null)[] = [];
  /** Called when a look has read of an index. */
  atRead = (): void => undefined;
  /** True while no index can be copied. */
  copiesFail = false;
  readonly failures: unknown[] = [];
  readonly timelines: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'pinyon-shipping-'));
  #blobs: Blobs | undefined;
  #version = 1;
  readonly #settings = new Map<string, string>();

  /** @param blobs default a folder */
  constructor(test: Pick<TestContext, 'after'>, blobs?: Blobs) {
    this.#blobs = blobs;
    test.after(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  get now(): number {
    return this.#now;
  }

  /** Time passes where it is set forward. */
  set now(ms: number) {
    this.#elapsedMs += Math.max(0, ms - this.#now);
    this.#now = ms;
  }

  write(storage: string): void {
    this.now += 1_000;
    const known = this.indexes.get(storage) ?? { writes: [], droppedUpTo: 0 };
    this.indexes.set(storage, known);
    // As histories do where the clock was set back.
    const ms = Math.max(this.now, known.writes.at(-1)?.ms ?? 0);
    known.writes.push({ lsn: known.writes.length + 1, ms });
    this.#version++;
  }

  async blobs(): Promise<Blobs> {
    this.#blobs ??= await openFolderBlobs(join(this.folder, 'blobs'));
    return this.#blobs;
  }

  async shipper({
    dataDir = this.folder,
    keptMs = 7 * DAY_MS,
    intervalMs = 1_000,
  } = {}): Promise<LogShipper> {
    return new LogShipper({
      catalog: this.#catalog(),
      engine: { logs: this.#logs(), copies: (profile) => this.#copies(profile) },
      blobs: faulty(await this.blobs(), () => this.faults.shift() ?? null),
      ...{ dataDir, keptMs, release: '1.0.0', intervalMs },
      onFailure: (error) => this.failures.push(error),
      onNewTimeline: (timeline) => this.timelines.push(timeline),
      now: () => this.now,
      elapsed: () => this.#elapsedMs,
    });
  }

  /** The LSNs of each index at a moment, and the version of the catalog. */
  async recovered(moment: number | null, timeline?: string) {
    const blobs = await this.blobs();
    const id = timeline ?? (await listTimelines(blobs)).at(-1)?.id ?? '';
    const plan = await planRecovery(blobs, await readTimeline(blobs, id), moment);
    const made = await this.#carriedOut(plan, [...plan.storages.keys()]);
    const file = await recoverCatalog(blobs, plan);
    return { made, plan, version: file.readDoubleLE(0) };
  }

  /** The LSNs of one index. */
  async recoveredStorage(plan: RecoveryPlan, storage: string) {
    return { made: (await this.#carriedOut(plan, [storage])).get(storage) };
  }

  async #carriedOut(plan: RecoveryPlan, storages: readonly string[]): Promise<Map<string, number[]>> {
    const blobs = await this.blobs();
    const made = new Map<string, number[]>();
    const of = (storage: string) => made.get(storage) ?? [];
    const engine = {
      createIndex: async (profile: IndexProfile) => void made.set(profile.id, []),
      copies: (profile: IndexProfile) => importing(profile, (lsns) => made.set(profile.id, [...lsns])),
      logs: {
        ...this.#logs(),
        replay: async (profile: IndexProfile, { bytes }: { readonly bytes: Uint8Array }) => {
          const lsns = [...encodedChanges(bytes)].map((change) => decodeChange(change, null).lsn);
          made.set(profile.id, [...of(profile.id), ...lsns]);
        },
      },
    };
    const targets = storages.map((storage) => ({
      storage,
      profile: profileFor(storage),
      isMade: false,
    }));
    const signal = new AbortController().signal;
    await recoverStorages({ blobs, engine, signal, onShare: () => undefined }, plan, targets);
    return made;
  }

  /** What a recovery of everything says to be missing; null where it would go on. */
  async lacking(): Promise<string | null> {
    const blobs = await this.blobs();
    const id = (await listTimelines(blobs)).at(-1)?.id ?? '';
    const plan = await planRecovery(blobs, await readTimeline(blobs, id), null);
    try {
      await storagesToRecover(this.#catalog(), plan);
      return null;
    } catch (error) {
      if (error instanceof Unrecoverable) return error.message;
      throw error;
    }
  }

  get version(): number {
    return this.#version;
  }

  #catalog() {
    const settings = this.#settings;
    const indexes = () => [...this.indexes.keys()].map(indexFor);
    return {
      settings: {
        get: async (name: string) => settings.get(name) ?? null,
        set: async (name: string, value: string) => void settings.set(name, value),
      },
      pages: async (known: Pick<CatalogPages, 'version' | 'sums'> | null): Promise<CatalogPages | null> => {
        if (known?.version === this.#version) return null;
        const bytes = Buffer.alloc(PAGE_BYTES);
        bytes.writeDoubleLE(this.#version, 0);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        const page = { pageBytes: PAGE_BYTES, pageCount: 1, changed: [0], bytes, sha256 };
        return { version: this.#version, sums: new Uint8Array(), ...page };
      },
      indexes: { list: async () => indexes() } as unknown as Catalog['indexes'],
      assistants: {} as Catalog['assistants'],
      administration: { organizations: { list: async () => [] } } as unknown as Catalog['administration'],
    };
  }

  #logs(): WriteLogs {
    return {
      storages: async () =>
        [...this.indexes].map(([id, { writes }]) => ({ id, version: String(writes.length) })),
      read: async ({ storageId, after, bytesMax }) => {
        const index = this.indexes.get(storageId);
        if (index === undefined) return null;
        if (after < index.droppedUpTo) return { gap: `the history begins after write ${index.droppedUpTo}` };
        const rest = index.writes.slice(after);
        const some = rest.slice(0, bytesMax > 2 ** 20 ? 3 : 1);
        const last = some.at(-1);
        this.atRead();
        const encoded = some.map(({ lsn, ms }) =>
          encodeChange({ kind: 'remove', lsn, ms, namespace: '', ids: [storageId] }),
        );
        return {
          bytes: new Uint8Array(Buffer.concat(encoded)),
          changes: some.length,
          toLsn: last?.lsn ?? after,
          toMs: last?.ms ?? 0,
          hasMore: some.length < rest.length,
        };
      },
      replay: () => assert.fail('not called'),
    };
  }

  #copies(profile: IndexProfile): IndexCopies {
    const lsns = this.indexes.get(profile.id)?.writes.map(({ lsn }) => lsn) ?? [];
    const content = Buffer.from(JSON.stringify(lsns));
    const sha256 = Promise.resolve(createHash('sha256').update(content).digest('hex'));
    const opened = {
      ...{ seq: lsns.length, recordCount: 0, namespaceCount: 0, sizeBytes: 0, bytesExpected: 0, sha256 },
      bytes: (async function* () {
        yield new Uint8Array(content);
      })(),
      release: async () => undefined,
    };
    return {
      export: async () => {
        if (this.copiesFail) throw new Error('the index cannot be copied');
        return opened;
      },
    } as unknown as IndexCopies;
  }
}

function importing(_: IndexProfile, done: (lsns: readonly number[]) => void) {
  const copies: Partial<ReturnType<VectorStore['copies']>> = {
    import: async (bytes) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of bytes) pieces.push(piece);
      done(JSON.parse(Buffer.concat(pieces).toString()) as readonly number[]);
      return { seq: 0, recordCount: 0, namespaceCount: 0, sizeBytes: 0 };
    },
  };
  return copies as ReturnType<VectorStore['copies']>;
}

function indexFor(id: string): Index {
  return { ...NEW_INDEX, id, projectId: 'p', name: id, state: 'Ready', port: null, createdAt: CREATED_AT };
}

function profileFor(id: string): IndexProfile {
  const { name, projectId } = indexFor(id);
  return { id, name, projectId } as IndexProfile;
}

function faulty(blobs: Blobs, next: () => BlobFault | null): Blobs {
  return {
    put: async (key, content, options) => {
      const fault = next();
      if (fault === 'refused') throw new BlobsUnavailable('the storage is away');
      const stored = await blobs.put(key, content, options);
      if (fault === 'answer-lost') throw new BlobsUnavailable('the answer was lost');
      return stored;
    },
    get: (key, range) => blobs.get(key, range),
    head: (key) => blobs.head(key),
    list: (prefix, cursor, limit) => blobs.list(prefix, cursor, limit),
    delete: (key) => blobs.delete(key),
    close: () => blobs.close(),
  };
}
