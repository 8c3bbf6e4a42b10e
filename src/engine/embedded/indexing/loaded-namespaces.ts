// The namespaces of an index that are in shared memory: loads them on request, applies commits to them, reloads those
// that are mostly tombstones, evicts cold ones, and announces every change to the readers.

import { parseMetadata } from '../../../domain/records/metadata.ts';
import { ArenaFull } from '../memory/allocator.ts';
import { framesNeeded } from '../segments/frames-needed.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import type { NamespaceStructure, StructureDelta } from '../segments/structure.ts';
import { CheckedRows } from '../storage/checked-rows.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import { namespaceIdKey } from '../storage/keys.ts';
import { ColumnSorting } from './column-sorting.ts';
import type { Effect } from './effects.ts';
import { COLD_AFTER_SECONDS, Evictor, NO_PEERS, type PeerIndexes } from './evictor.ts';
import type { GraphMaintenance } from './graph-maintenance.ts';
import type { Warn } from './index-warnings.ts';
import type { LoadRequest } from './namespace-loader.ts';
import { NamespaceLoads } from './namespace-loads.ts';
import { OriginChecks } from './origin-checks.ts';
import { OversizedNamespaces } from './oversized-namespaces.ts';
import { Prefetcher } from './prefetcher.ts';
import { ReloadAttempts } from './reload-attempts.ts';
import type { SegmentCheckpointer } from './segment-checkpointer.ts';
import { SegmentSaves } from './segment-saves.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** How often all namespaces are checked for work that waits for a quiet time. */
const MAINTENANCE_MS = 2_000;

export type Announce = (delta: StructureDelta) => void;

export class LoadedNamespaces {
  readonly loads: NamespaceLoads;
  readonly oversized = new OversizedNamespaces((namespaceId) =>
    this.#announce({ kind: 'dropped', namespaceId }),
  );
  readonly prefetcher: Prefetcher;
  readonly #files: IndexFiles;
  readonly #rows: CheckedRows | null;
  readonly #pool: MemoryPool;
  readonly #evictor: Evictor;
  readonly #announce: Announce;
  readonly #warn: Warn;
  readonly #maintenance: GraphMaintenance;
  readonly #byId = new Map<number, NamespaceSegments>();
  readonly #checkpointer: SegmentCheckpointer;
  readonly #saves: SegmentSaves;
  readonly #sorting: ColumnSorting;
  readonly #reloadAttempts = new ReloadAttempts();
  readonly #origins = new OriginChecks();
  /** Whether nothing was in memory at the last maintenance. */
  #isEmpty = false;
  readonly #timer: NodeJS.Timeout;

  constructor(
    pool: MemoryPool,
    files: IndexFiles,
    options: {
      readonly announce: Announce;
      readonly maintenance: GraphMaintenance;
      readonly checkpointer: SegmentCheckpointer;
      readonly warn: Warn;
      /** Default COLD_AFTER_SECONDS. */
      readonly coldAfterSeconds?: number;
      /** Default none. */
      readonly peers?: PeerIndexes;
    },
  ) {
    this.#pool = pool;
    const { rowFile, store } = files;
    const records = { shown: store, now: store };
    this.#rows = rowFile === null ? null : new CheckedRows(rowFile, records, pool.first.dimension ?? 0);
    this.#evictor = new Evictor({
      pool,
      peers: options.peers ?? NO_PEERS,
      coldAfterSeconds: options.coldAfterSeconds ?? COLD_AFTER_SECONDS,
      namespaces: () => this.#byId.values(),
      drop: (namespaceId) => this.#drop(namespaceId),
    });
    this.#checkpointer = options.checkpointer;
    const restore = (request: LoadRequest, signal: AbortSignal) =>
      this.#checkpointer.restore(request, { pool, signal });
    const release = (memory: NamespaceSegments) => {
      this.#checkpointer.verification.forget(memory);
      memory.release();
    };
    this.loads = new NamespaceLoads(
      { pool, files, restore, release },
      {
        loaded: (namespace, request) => this.#loaded(namespace, request),
        failed: (request, error) => this.#failed(request, error),
        evict: (namespaceId) => this.#evictor.evict(namespaceId) > 0,
      },
    );
    this.prefetcher = new Prefetcher({
      wantsGraph: (records) => this.#maintenance.wantsGraph(records),
      isKnown: (namespaceId) => this.#byId.has(namespaceId) || this.oversized.has(namespaceId),
      isBusy: () => this.loads.isBusy || pool.budget.isWanted,
      framesFor: (records) => this.#framesFor(records),
      framesFree: () => this.#evictor.free,
      start: (request) => this.#start(request),
    });
    this.#files = files;
    this.#announce = options.announce;
    this.#warn = options.warn;
    this.#maintenance = options.maintenance;
    this.#saves = new SegmentSaves({ ...options, pool, namespaces: this.#byId });
    this.#sorting = new ColumnSorting({ namespaces: this.#byId, announce: this.#announce, warn: this.#warn });
    this.#maintenance.checkpointWith({
      isDue: (segment, isGrowing) => this.#saves.isDue(segment, isGrowing),
      save: (segment) => this.#saves.save(segment),
      needsMemory: ({ namespaceId }) => this.#evictor.evictOrAsk(namespaceId),
    });
    this.#timer = setInterval(() => this.#maintain(), MAINTENANCE_MS).unref();
  }

  /** Where the namespaces in memory lie, for readers that attach now. */
  namespaces(): readonly {
    readonly namespaceId: number;
    readonly segments: readonly NamespaceStructure[];
  }[] {
    return [...this.#byId.values()].map(structureOf);
  }

  /** The segments of a namespace, none while it is not in memory; by default those of all that are. */
  segments(namespaceId: number | null = null): readonly SegmentWriter[] {
    if (namespaceId !== null) return this.#byId.get(namespaceId)?.segments ?? [];
    return [...this.#byId.values()].flatMap(({ segments }) => segments);
  }

  /** When a query last used any of them, in seconds; 0 without any, Infinity while one is loaded or its graph built. */
  get lastUsed(): number {
    if (this.loads.isBusy || this.#maintenance.isBusy) return Number.POSITIVE_INFINITY;
    return [...this.#byId.values()].reduce((last, namespace) => Math.max(last, namespace.lastUsed), 0);
  }

  /** Forgets all namespaces, oversized ones too: their arenas are gone, and every reader has been notified. */
  forgetAll(): void {
    this.loads.stopAll();
    for (const segment of this.segments()) void this.#maintenance.retire(segment);
    for (const namespace of this.#byId.values()) this.#checkpointer.verification.forget(namespace);
    this.#byId.clear();
    this.oversized.clear();
    this.prefetcher.forgetAll();
  }

  /**
   * Loads a namespace unless it is in memory; a `loaded` or `tooLarge` delta follows.
   * @param records about how many it has: a namespace that cannot fit is not tried
   */
  load(namespaceId: number, filterable: readonly string[] | null, records = 0): void {
    if (this.#byId.has(namespaceId) || this.oversized.has(namespaceId) || this.loads.has(namespaceId)) return;
    const needed = this.#framesFor(records);
    // The reader must learn that the namespace was dropped or emptied while its request was on the way.
    if (this.#isGone(namespaceId)) this.#announce({ kind: 'dropped', namespaceId });
    else if (this.#evictor.ensureFree(namespaceId, needed)) this.#start({ namespaceId, filterable });
    else this.#markTooLarge(namespaceId, needed);
  }

  /** Applies a committed transaction to memory. Its effects are visible to every reader when this returns. */
  publish(work: Pick<WriteTransaction, 'effects' | 'derived' | 'seq'>): void {
    const { effects, seq } = work;
    this.#checkpointer.note(work);
    const touched = new Set<NamespaceSegments>();
    for (const effect of effects) {
      const namespace = this.#byId.get(effect.namespaceId);
      if (effect.kind === 'drop') {
        this.#drop(effect.namespaceId);
        this.#origins.forget(effect.namespaceId);
      } else if (namespace !== undefined && this.#apply(namespace, effect)) touched.add(namespace);
    }
    for (const namespace of touched) {
      if (this.#byId.get(namespace.namespaceId) === namespace) this.#publishMemory(namespace, seq);
    }
  }

  /**
   * Loads and builds nothing more, and ends what is under way, except that a file is written to its end. `close` may
   * follow.
   * @param signal ends all saving: what is not saved by then is derived anew
   * @returns what saves the segments that are worth it and not saved yet; it never rejects
   */
  async stopWork(signal: AbortSignal): Promise<() => Promise<void>> {
    const stopSaving = () => this.#checkpointer.close();
    signal.addEventListener('abort', stopSaving, { once: true });
    if (signal.aborted) stopSaving();
    clearInterval(this.#timer);
    this.#checkpointer.verification.end();
    await Promise.all([this.loads.close(), this.#sorting.close(), this.#maintenance.close()]);
    return () => this.#saves.saveAll();
  }

  /** Resolves when nothing here uses the index's files any more. */
  async close(): Promise<void> {
    this.oversized.close();
    clearInterval(this.#timer);
    this.#checkpointer.close();
    await this.loads.close();
    await this.#sorting.close();
    await this.#maintenance.close();
  }

  /** Resolves when all loads and graph maintenance that are due are done. */
  async settled(): Promise<void> {
    await this.loads.settled();
    await this.#maintenance.settled();
  }

  #isGone(namespaceId: number): boolean {
    const { store } = this.#files;
    store.refresh();
    return store.garbage.get(namespaceIdKey(namespaceId)) !== undefined || !store.records.hasAny(namespaceId);
  }

  #framesFor(records: number): number {
    const { dimension, hasNodeCodes } = this.#pool.first;
    const hasGraph = this.#maintenance.wantsGraph(records);
    return framesNeeded(records, { dimension, hasGraph, hasNodeCodes });
  }

  #loaded(namespace: NamespaceSegments, { isPrefetch = false }: LoadRequest): void {
    // Where memory is short, it is evicted before namespaces that are searched.
    if (isPrefetch) namespace.markUnused();
    const previous = this.#byId.get(namespace.namespaceId);
    this.#byId.set(namespace.namespaceId, namespace);
    namespace.layout.takeDeltas();
    this.#announce({ kind: 'loaded', ...structureOf(namespace) });
    if (previous !== undefined) this.#release(previous);
    this.#origins.noteLoaded(namespace);
    this.#consider(namespace);
  }

  #failed({ namespaceId, isPrefetch = false }: LoadRequest, error: unknown): void {
    // A query that waits for it asks again, and that load may evict others.
    if (isPrefetch && error instanceof ArenaFull) this.#announce({ kind: 'dropped', namespaceId });
    else if (!this.#byId.has(namespaceId))
      this.#markTooLarge(namespaceId, this.#evictor.retryFrames(namespaceId));
    else if (error instanceof ArenaFull) this.#makeRoom(namespaceId);
    // A file is damaged. Searches on disk meet the damage too and report it; other indexes go on.
    if (!(error instanceof ArenaFull)) this.#warn(error);
  }

  /**
   * Loads damaged namespaces, those whose codes need another origin, and those of another memory profile than the pool's,
   * anew. The old ones answer meanwhile.
   */
  #replace(): void {
    const { hasNodeCodes } = this.#pool.first;
    for (const namespace of this.#byId.values()) {
      const isOther = namespace.segments.some(({ context }) => context.hasNodeCodes !== hasNodeCodes);
      const isDamaged = this.#checkpointer.verification.isDamaged(namespace.generation);
      const isMisplaced = this.#origins.better(namespace.namespaceId) !== null;
      if (isOther || isDamaged || isMisplaced) this.#reload(namespace);
    }
  }

  #reload(namespace: NamespaceSegments): void {
    const { namespaceId, filterable, slotCount, tombstoneCount } = namespace;
    if (!this.#reloadAttempts.begin(namespace)) return;
    if (this.#framesFor(slotCount - tombstoneCount) > this.#evictor.obtainable(namespaceId))
      this.#makeRoom(namespaceId);
    else this.#start({ namespaceId, filterable, isFresh: true });
  }

  #start(request: LoadRequest): void {
    this.loads.start({ ...request, origin: this.#origins.better(request.namespaceId) });
  }

  /** A reload does not fit beside what it is to replace. That goes, and the next query loads the namespace. */
  #makeRoom(namespaceId: number): void {
    const namespace = this.#byId.get(namespaceId);
    // It does so from the records: the files would bring the tombstones, or the origin, back.
    const isStale = namespace?.isMostlyTombstones === true || this.#origins.better(namespaceId) !== null;
    if (isStale) void this.#checkpointer.discard(namespaceId);
    this.#drop(namespaceId);
  }

  /** Drops every namespace from memory. */
  dropAll(): void {
    for (const namespaceId of [...this.#byId.keys()]) this.#drop(namespaceId);
  }

  #maintain(): void {
    this.#checkpointer.trimBacklog({
      isSaved: (namespaceId) => this.#saves.isWorthSaving(namespaceId),
      isWaiting: (namespaceId) => this.loads.has(namespaceId) || this.prefetcher.isWaiting(namespaceId),
    });
    this.#followMemory();
    this.#replace();
    this.prefetcher.prefetchDue();
    this.#sorting.start();
    for (const segment of this.segments()) this.#maintenance.consider(segment);
    if (this.oversized.ids.length > 0) this.oversized.retry(this.#evictor.obtainable());
  }

  /** Once more after the last namespace has gone, then not before the next one: thousands of empty indexes may be open. */
  #followMemory(): void {
    const wasEmpty = this.#isEmpty;
    this.#isEmpty = this.#byId.size === 0 && !this.loads.isBusy;
    if (this.#isEmpty && wasEmpty) return;
    this.#pool.countFrames();
    if (!this.loads.isBusy) this.#pool.tidy();
  }

  #apply(namespace: NamespaceSegments, effect: Exclude<Effect, { kind: 'drop' }>): boolean {
    if (effect.kind === 'remove') {
      const { row, metadataJson } = effect;
      namespace.markDeleted(row, { metadata: metadataJson === null ? null : parseMetadata(metadataJson) });
      return true;
    }
    try {
      const { namespaceId, row, id, values, sparse, metadata } = effect;
      const stored = () => this.#rows?.of(namespaceId).readRow(row) ?? null;
      namespace.append({ row, id, values: values === 'stored' ? stored : values, sparse, metadata });
      return true;
    } catch (error) {
      // The write is durable. The namespace leaves memory, and the next query loads it where it fits.
      this.#drop(namespace.namespaceId);
      if (!(error instanceof ArenaFull)) this.#warn(error);
      return false;
    }
  }

  #publishMemory(namespace: NamespaceSegments, seq: number): void {
    for (const delta of namespace.layout.takeDeltas()) this.#announce(delta);
    namespace.publish(seq);
    if (namespace.isMostlyTombstones) this.#reload(namespace);
    this.#consider(namespace);
  }

  /** Lets its graphs be kept, and has its codes made anew where they need another origin. */
  #consider(namespace: NamespaceSegments): void {
    this.#origins.judge(namespace);
    if (this.#origins.better(namespace.namespaceId) !== null) this.#reload(namespace);
    for (const segment of namespace.segments) this.#maintenance.consider(segment);
  }

  #drop(namespaceId: number): void {
    this.loads.stop(namespaceId);
    this.prefetcher.forget(namespaceId);
    this.oversized.remove(namespaceId);
    this.#announce({ kind: 'dropped', namespaceId });
    const namespace = this.#byId.get(namespaceId);
    this.#byId.delete(namespaceId);
    if (namespace !== undefined) this.#release(namespace);
  }

  /** Frees the namespace once no builder works on it. */
  #release(namespace: NamespaceSegments): void {
    this.#checkpointer.verification.forget(namespace);
    for (const segment of namespace.segments)
      void this.#maintenance.retire(segment).then(() => segment.release());
  }

  #markTooLarge(namespaceId: number, needed: number): void {
    this.oversized.add(namespaceId, needed);
    this.#announce({ kind: 'tooLarge', namespaceId });
    this.#evictor.askOthers(needed);
  }
}

function structureOf(namespace: NamespaceSegments): {
  readonly namespaceId: number;
  readonly segments: readonly NamespaceStructure[];
} {
  return { namespaceId: namespace.namespaceId, segments: namespace.layout.structures() };
}
