// The namespaces of an index that are held in shared memory: loads them on request, keeps them in step with
// commits, replaces those that have grown mostly dead, drops cold ones for others, and tells every reader about it.
import { ArenaFull } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import type { Epochs } from '../memory/epochs.ts';
import { framesNeeded } from '../segments/frames-needed.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import type { SegmentWriter } from '../segments/segment-writer.ts';
import type { NamespaceStructure, StructureDelta } from '../segments/structure.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import { namespaceIdKey } from '../storage/keys.ts';
import type { Effect } from './effects.ts';
import { COLD_AFTER_SECONDS, Evictor, NO_PEERS, type PeerIndexes } from './evictor.ts';
import type { GraphMaintenance } from './graph-maintenance.ts';
import type { LoadRequest } from './namespace-loader.ts';
import { NamespaceLoads } from './namespace-loads.ts';
import { PrefetchQueue, type WrittenNamespace } from './prefetch-queue.ts';
import type { SegmentCheckpointer } from './segment-checkpointer.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Below this many dead slots a reload is not worth it. */
const TOMBSTONES_MIN = 1_024;
/** Remembered pairs of sequence number and epoch; older ones merge into the next. */
const RETIRED_SEQS_MAX = 1_024;

/** How often all namespaces are looked at for work that waits for a quiet time. */
const ROUND_MS = 2_000;
/** How often namespaces that did not fit are given another chance, whatever memory seems to be free. */
const TOO_LARGE_SECONDS = 300;

export type Announce = (delta: StructureDelta) => void;

export class LoadedNamespaces {
  readonly #files: IndexFiles;
  readonly #pool: MemoryPool;
  readonly #room: Evictor;
  readonly #epochs: Epochs;
  readonly #announce: Announce;
  readonly #maintenance: GraphMaintenance;
  readonly #memories = new Map<number, NamespaceSegments>();
  readonly #loads: NamespaceLoads;
  readonly #ahead = new PrefetchQueue();
  readonly #checkpointer: SegmentCheckpointer;
  readonly #rounds: NodeJS.Timeout;
  /** Spaces that do not fit or cannot be loaded, with the frames they need; searched straight from their records. */
  readonly #tooLarge = new Map<number, number>();
  readonly #secondChances: NodeJS.Timeout;
  #retiredSeqs: { seq: number; epoch: number }[] = [];
  #reusableSeq: number;

  constructor(
    pool: MemoryPool,
    files: IndexFiles,
    options: {
      readonly epochs: Epochs;
      readonly announce: Announce;
      readonly maintenance: GraphMaintenance;
      readonly checkpointer: SegmentCheckpointer;
      readonly seq: number;
      /** Default COLD_AFTER_SECONDS. */
      readonly coldAfterSeconds?: number;
      /** Default none. */
      readonly peers?: PeerIndexes;
    },
  ) {
    this.#pool = pool;
    this.#room = new Evictor({
      pool,
      peers: options.peers ?? NO_PEERS,
      coldAfterSeconds: options.coldAfterSeconds ?? COLD_AFTER_SECONDS,
      namespaces: () => this.#memories.values(),
      drop: (namespaceId) => this.#drop(namespaceId),
    });
    this.#checkpointer = options.checkpointer;
    const restore = (space: LoadRequest, signal: AbortSignal) =>
      this.#checkpointer.restore(space, { pool, signal });
    this.#loads = new NamespaceLoads(
      { pool, files, restore },
      {
        loaded: (memory, space) => this.#loaded(memory, space),
        failed: (space, error) => this.#failed(space, error),
        makeRoom: (namespaceId) => this.#room.make(namespaceId) > 0,
      },
    );
    this.#secondChances = setInterval(() => this.#retryTooLarge(Infinity), TOO_LARGE_SECONDS * 1_000).unref();
    this.#files = files;
    this.#epochs = options.epochs;
    this.#announce = options.announce;
    this.#maintenance = options.maintenance;
    this.#maintenance.checkpointWith({
      isDue: (segment) => this.#isKept(segment) && this.#checkpointer.isDue(segment),
      save: (segment) => this.#save(segment),
      needsRoom: ({ namespaceId }) => this.#room.makeOrAsk(namespaceId),
    });
    this.#rounds = setInterval(() => this.#round(), ROUND_MS).unref();
    // No reader of this process can hold anything from before it opened the index.
    this.#reusableSeq = options.seq;
  }

  /** Those in memory, for readers that come late. */
  namespaces(): readonly {
    readonly namespaceId: number;
    readonly segments: readonly NamespaceStructure[];
  }[] {
    return [...this.#memories.values()].map(structureOf);
  }

  /** The segments of all namespaces in memory. */
  segments(): readonly SegmentWriter[] {
    return [...this.#memories.values()].flatMap(({ segments }) => segments);
  }

  oversized(): readonly number[] {
    return [...this.#tooLarge.keys()];
  }

  /** Seconds when a query last looked at any of them, 0 without any; Infinity while one is loaded or its graph built. */
  get lastUsed(): number {
    if (this.#loads.isBusy || this.#maintenance.isBusy) return Number.POSITIVE_INFINITY;
    return [...this.#memories.values()].reduce((last, memory) => Math.max(last, memory.lastUsed), 0);
  }

  /** Forgets all of them, and what did not fit: their arenas are gone, and every reader has been told. */
  forgetAll(): void {
    this.#loads.stopAll();
    for (const segment of this.segments()) void this.#maintenance.retire(segment);
    this.#memories.clear();
    this.#tooLarge.clear();
    this.#ahead.forgetAll();
  }

  /**
   * Brings a space into memory; a `loaded` or `tooLarge` delta follows, unless it is there already.
   * @param records about as many as it has: what cannot fit is not tried
   */
  load(namespaceId: number, filterable: readonly string[] | null, records = 0): void {
    if (this.#memories.has(namespaceId) || this.#tooLarge.has(namespaceId) || this.#loads.has(namespaceId))
      return;
    const needed = this.#framesFor(records);
    // Whoever asks must hear of it: the namespace was dropped or emptied while the question was on its way.
    if (this.#isGone(namespaceId)) this.#announce({ kind: 'dropped', namespaceId });
    else if (this.#room.makeFor(namespaceId, needed)) this.#loads.start({ namespaceId, filterable });
    else this.#markTooLarge(namespaceId, needed);
  }

  /** Notes that a namespace is written to: a large one comes into memory without being asked for. */
  noteWritten(space: WrittenNamespace): void {
    const isKnown = this.#memories.has(space.namespaceId) || this.#tooLarge.has(space.namespaceId);
    if (!isKnown && this.#maintenance.wantsGraph(space.records)) this.#ahead.note(space);
  }

  /** Brings the next namespace into memory that nobody has asked for, if nobody else needs the memory or the thread. */
  #prefetch(): void {
    if (this.#loads.isBusy || this.#pool.budget.isWanted) return;
    const space = this.#ahead.takeDue();
    if (space === null || this.#memories.has(space.namespaceId) || this.#tooLarge.has(space.namespaceId))
      return;
    const needed = this.#framesFor(space.records) + Math.ceil(space.otherBytes / FRAME_BYTES);
    if (needed <= this.#room.free) this.#loads.start({ ...space, isPrefetch: true });
  }

  /** Rows freed by writes up to this number are seen by no reader, loader or snapshot. */
  reusableSeq(): number {
    const oldest = this.#epochs.oldestPinned();
    while (this.#retiredSeqs[0] !== undefined && this.#retiredSeqs[0].epoch <= oldest) {
      this.#reusableSeq = this.#retiredSeqs[0].seq;
      this.#retiredSeqs.shift();
    }
    return Math.min(this.#reusableSeq, this.#loads.changesNeededFrom() - 1);
  }

  /** First change log entry somebody still needs. */
  changesNeededFrom(): number {
    return Math.min(this.#loads.changesNeededFrom(), this.#checkpointer.changesNeededFrom());
  }

  /** Applies a committed transaction to memory. Its effects are visible to every reader when this returns. */
  publish(work: Pick<WriteTransaction, 'effects' | 'derived' | 'seq' | 'freesRows'>): void {
    const { effects, seq, freesRows } = work;
    this.#checkpointer.note(work);
    const touched = new Set<NamespaceSegments>();
    for (const effect of effects) {
      const memory = this.#memories.get(effect.namespaceId);
      if (effect.kind === 'drop') this.#drop(effect.namespaceId);
      else if (memory !== undefined && this.#apply(memory, effect)) touched.add(memory);
    }
    for (const memory of touched) {
      if (this.#memories.get(memory.namespaceId) === memory) this.#publishMemory(memory, seq);
    }
    if (freesRows) this.#retireSeq(seq);
  }

  /** Resolves when nothing of it touches the index's files any more. */
  async close(): Promise<void> {
    clearInterval(this.#secondChances);
    clearInterval(this.#rounds);
    this.#checkpointer.close();
    await this.#loads.close();
    await this.#maintenance.close();
  }

  /** Resolves when every namespace in memory is indexed as far as it is going to be. */
  async settled(): Promise<void> {
    await this.#loads.settled();
    await this.#maintenance.settled();
  }

  #isGone(namespaceId: number): boolean {
    const { store } = this.#files;
    store.refresh();
    return store.garbage.get(namespaceIdKey(namespaceId)) !== undefined || !store.hasRecords(namespaceId);
  }

  #framesFor(records: number): number {
    const { dimension } = this.#pool.first;
    return framesNeeded(records, { dimension, hasGraph: this.#maintenance.wantsGraph(records) });
  }

  #loaded(memory: NamespaceSegments, { isPrefetch = false }: LoadRequest): void {
    // Those that are searched come before it where memory is short.
    if (isPrefetch) memory.markUnused();
    const previous = this.#memories.get(memory.namespaceId);
    this.#memories.set(memory.namespaceId, memory);
    memory.takeDeltas();
    this.#announce({ kind: 'loaded', ...structureOf(memory) });
    if (previous !== undefined) this.#release(previous);
    for (const segment of memory.segments) this.#maintenance.consider(segment);
  }

  #failed({ namespaceId, isPrefetch = false }: LoadRequest, error: unknown): void {
    // Whoever has asked meanwhile asks again, and room is made.
    if (isPrefetch && error instanceof ArenaFull) this.#announce({ kind: 'dropped', namespaceId });
    // No room for the new beside the old: the old goes, and the next query loads the namespace in its place.
    else if (!this.#memories.has(namespaceId))
      this.#markTooLarge(namespaceId, this.#room.moreThanNow(namespaceId));
    else if (error instanceof ArenaFull) this.#drop(namespaceId);
    // A damaged file: searches straight from the records meet it too, and tell their callers. Other indexes go on.
    if (!(error instanceof ArenaFull)) process.emitWarning(error instanceof Error ? error : String(error));
  }

  /** Small namespaces are read from their records as fast. */
  #isKept(segment: SegmentWriter): boolean {
    return (
      segment.graphIndex.graph !== null || (this.#memories.get(segment.namespaceId)?.segments.length ?? 0) > 1
    );
  }

  async #save(segment: SegmentWriter): Promise<void> {
    const memory = this.#memories.get(segment.namespaceId);
    const number = memory?.segments.indexOf(segment) ?? -1;
    if (memory === undefined || number < 0) return;
    const { generation, segments } = memory;
    const isCurrent = () => this.#memories.get(segment.namespaceId) === memory;
    await this.#checkpointer.save(segment, { generation, number, count: segments.length, isCurrent });
  }

  /** Takes every namespace out of memory. */
  dropAll(): void {
    for (const namespaceId of [...this.#memories.keys()]) this.#drop(namespaceId);
  }

  #round(): void {
    this.#checkpointer.trimBacklog((namespaceId) => this.#memories.get(namespaceId)?.isSavable ?? false);
    this.#pool.countFrames();
    if (!this.#loads.isBusy) this.#pool.enlargePages();
    this.#prefetch();
    for (const segment of this.segments()) this.#maintenance.consider(segment);
    if (this.#tooLarge.size > 0) this.#retryTooLarge(this.#room.reachable());
  }

  /** Gives those that need no more than so many frames another chance: the next query loads them. */
  #retryTooLarge(frames: number): void {
    for (const [namespaceId, needed] of this.#tooLarge) {
      if (needed > frames) continue;
      this.#tooLarge.delete(namespaceId);
      this.#announce({ kind: 'dropped', namespaceId });
    }
  }

  #apply(memory: NamespaceSegments, effect: Exclude<Effect, { kind: 'drop' }>): boolean {
    if (effect.kind === 'remove') {
      memory.markDeleted(effect.row);
      return true;
    }
    try {
      const values =
        effect.values === 'stored' ? (this.#files.rowFile?.readRow(effect.row) ?? null) : effect.values;
      memory.append({ ...effect, values });
      return true;
    } catch (error) {
      // The write is on disk and stands. Memory that cannot follow it goes; a query loads it again where it fits.
      this.#drop(memory.namespaceId);
      if (!(error instanceof ArenaFull)) process.emitWarning(error instanceof Error ? error : String(error));
      return false;
    }
  }

  #publishMemory(memory: NamespaceSegments, seq: number): void {
    for (const delta of memory.takeDeltas()) this.#announce(delta);
    memory.publish(seq);
    const dead = memory.tombstoneCount;
    if (dead > TOMBSTONES_MIN && dead * 2 > memory.slotCount)
      this.#loads.start({ namespaceId: memory.namespaceId, filterable: memory.filterable, isFresh: true });
    for (const segment of memory.segments) this.#maintenance.consider(segment);
  }

  #drop(namespaceId: number): void {
    this.#loads.stop(namespaceId);
    this.#ahead.forget(namespaceId);
    this.#tooLarge.delete(namespaceId);
    this.#announce({ kind: 'dropped', namespaceId });
    const memory = this.#memories.get(namespaceId);
    this.#memories.delete(namespaceId);
    if (memory !== undefined) this.#release(memory);
  }

  /** Builders may still be at work in it. */
  #release(memory: NamespaceSegments): void {
    for (const segment of memory.segments)
      void this.#maintenance.retire(segment).then(() => segment.release());
  }

  #markTooLarge(namespaceId: number, needed: number): void {
    this.#tooLarge.set(namespaceId, needed);
    this.#announce({ kind: 'tooLarge', namespaceId });
    this.#room.askOthers(needed);
  }

  #retireSeq(seq: number): void {
    const epoch = this.#epochs.advance();
    if (this.#retiredSeqs.length === RETIRED_SEQS_MAX) this.#retiredSeqs.pop();
    this.#retiredSeqs.push({ seq, epoch });
  }
}

function structureOf(memory: NamespaceSegments): {
  readonly namespaceId: number;
  readonly segments: readonly NamespaceStructure[];
} {
  return { namespaceId: memory.namespaceId, segments: memory.structures() };
}
