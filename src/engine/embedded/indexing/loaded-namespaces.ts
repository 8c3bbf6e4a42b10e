// The namespaces of an index that are held in shared memory: loads them on request, keeps them in step with
// commits, replaces those that have grown mostly dead, drops cold ones for others, and tells every reader about it.
import { ArenaFull } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import type { Epochs } from '../memory/epochs.ts';
import { framesNeeded } from '../segments/frames-needed.ts';
import type { MemoryPool } from '../segments/memory-pool.ts';
import type { NamespaceSegments } from '../segments/namespace-segments.ts';
import type { NamespaceMemory } from '../segments/segment-writer.ts';
import type { NamespaceStructure, StructureDelta } from '../segments/structure.ts';
import type { IndexFiles } from '../storage/index-files.ts';
import { spaceKey } from '../storage/keys.ts';
import type { Effect } from './effects.ts';
import { COLD_AFTER_SECONDS, MemoryRoom, type Neighbours, NO_NEIGHBOURS } from './evictor.ts';
import type { GraphUpkeep } from './graph-maintenance.ts';
import type { LoadedSpace } from './namespace-loader.ts';
import { NamespaceLoads } from './namespace-loads.ts';
import { LoadAhead, type WrittenSpace } from './prefetch-queue.ts';
import type { SegmentKeeper } from './segment-checkpointer.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Below this many dead slots a reload is not worth it. */
const DEAD_SLOTS_MIN = 1_024;
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
  readonly #room: MemoryRoom;
  readonly #epochs: Epochs;
  readonly #announce: Announce;
  readonly #upkeep: GraphUpkeep;
  readonly #memories = new Map<number, NamespaceSegments>();
  readonly #loads: NamespaceLoads;
  readonly #ahead = new LoadAhead();
  readonly #keeper: SegmentKeeper;
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
      readonly upkeep: GraphUpkeep;
      readonly keeper: SegmentKeeper;
      readonly seq: number;
      /** Default COLD_AFTER_SECONDS. */
      readonly coldAfterSeconds?: number;
      /** Default none. */
      readonly neighbours?: Neighbours;
    },
  ) {
    this.#pool = pool;
    this.#room = new MemoryRoom({
      pool,
      neighbours: options.neighbours ?? NO_NEIGHBOURS,
      coldAfterSeconds: options.coldAfterSeconds ?? COLD_AFTER_SECONDS,
      namespaces: () => this.#memories.values(),
      drop: (spaceId) => this.#drop(spaceId),
    });
    this.#keeper = options.keeper;
    const restore = (space: LoadedSpace, signal: AbortSignal) =>
      this.#keeper.restore(space, { pool, signal });
    this.#loads = new NamespaceLoads(
      { pool, files, restore },
      {
        loaded: (memory, space) => this.#loaded(memory, space),
        failed: (space, error) => this.#failed(space, error),
        makeRoom: (spaceId) => this.#room.make(spaceId) > 0,
      },
    );
    this.#secondChances = setInterval(() => this.#retryTooLarge(Infinity), TOO_LARGE_SECONDS * 1_000).unref();
    this.#files = files;
    this.#epochs = options.epochs;
    this.#announce = options.announce;
    this.#upkeep = options.upkeep;
    this.#upkeep.saveWith({
      isDue: (segment) => this.#isKept(segment) && this.#keeper.isDue(segment),
      save: (segment) => this.#save(segment),
      needsRoom: ({ spaceId }) => this.#room.makeOrAsk(spaceId),
    });
    this.#rounds = setInterval(() => this.#round(), ROUND_MS).unref();
    // No reader of this process can hold anything from before it opened the index.
    this.#reusableSeq = options.seq;
  }

  /** Those in memory, for readers that come late. */
  namespaces(): readonly { readonly spaceId: number; readonly segments: readonly NamespaceStructure[] }[] {
    return [...this.#memories.values()].map(structureOf);
  }

  /** The segments of all namespaces in memory. */
  segments(): readonly NamespaceMemory[] {
    return [...this.#memories.values()].flatMap(({ segments }) => segments);
  }

  spacesTooLarge(): readonly number[] {
    return [...this.#tooLarge.keys()];
  }

  /** Seconds when a query last looked at any of them, 0 without any; Infinity while one is loaded or its graph built. */
  get lastUsed(): number {
    if (this.#loads.isBusy || this.#upkeep.isBusy) return Number.POSITIVE_INFINITY;
    return [...this.#memories.values()].reduce((last, memory) => Math.max(last, memory.lastUsed), 0);
  }

  /** Forgets all of them, and what did not fit: their arenas are gone, and every reader has been told. */
  forgetAll(): void {
    this.#loads.stopAll();
    for (const segment of this.segments()) void this.#upkeep.retire(segment);
    this.#memories.clear();
    this.#tooLarge.clear();
    this.#ahead.forgetAll();
  }

  /**
   * Brings a space into memory; a `loaded` or `tooLarge` delta follows, unless it is there already.
   * @param records about as many as it has: what cannot fit is not tried
   */
  load(spaceId: number, filterable: readonly string[] | null, records = 0): void {
    if (this.#memories.has(spaceId) || this.#tooLarge.has(spaceId) || this.#loads.has(spaceId)) return;
    const needed = this.#framesFor(records);
    // Whoever asks must hear of it: the namespace was dropped or emptied while the question was on its way.
    if (this.#isGone(spaceId)) this.#announce({ kind: 'dropped', spaceId });
    else if (this.#room.makeFor(spaceId, needed)) this.#loads.start({ spaceId, filterable });
    else this.#markTooLarge(spaceId, needed);
  }

  /** Notes that a namespace is written to: a large one comes into memory without being asked for. */
  noteWritten(space: WrittenSpace): void {
    const isKnown = this.#memories.has(space.spaceId) || this.#tooLarge.has(space.spaceId);
    if (!isKnown && this.#upkeep.wantsGraph(space.records)) this.#ahead.note(space);
  }

  /** Brings the next namespace into memory that nobody has asked for, if nobody else needs the memory or the thread. */
  #loadAhead(): void {
    if (this.#loads.isBusy || this.#pool.budget.isWanted) return;
    const space = this.#ahead.takeDue();
    if (space === null || this.#memories.has(space.spaceId) || this.#tooLarge.has(space.spaceId)) return;
    const needed = this.#framesFor(space.records) + Math.ceil(space.otherBytes / FRAME_BYTES);
    if (needed <= this.#room.free) this.#loads.start({ ...space, isAhead: true });
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
    return Math.min(this.#loads.changesNeededFrom(), this.#keeper.changesNeededFrom());
  }

  /** Applies a committed transaction to memory. Its effects are visible to every reader when this returns. */
  publish(work: Pick<WriteTransaction, 'effects' | 'derived' | 'seq' | 'freesRows'>): void {
    const { effects, seq, freesRows } = work;
    this.#keeper.note(work);
    const touched = new Set<NamespaceSegments>();
    for (const effect of effects) {
      const memory = this.#memories.get(effect.spaceId);
      if (effect.kind === 'drop') this.#drop(effect.spaceId);
      else if (memory !== undefined && this.#apply(memory, effect)) touched.add(memory);
    }
    for (const memory of touched) {
      if (this.#memories.get(memory.spaceId) === memory) this.#publishMemory(memory, seq);
    }
    if (freesRows) this.#retireSeq(seq);
  }

  /** Resolves when nothing of it touches the index's files any more. */
  async close(): Promise<void> {
    clearInterval(this.#secondChances);
    clearInterval(this.#rounds);
    this.#keeper.close();
    await this.#loads.close();
    await this.#upkeep.close();
  }

  /** Resolves when every namespace in memory is indexed as far as it is going to be. */
  async settled(): Promise<void> {
    await this.#loads.settled();
    await this.#upkeep.settled();
  }

  #isGone(spaceId: number): boolean {
    const { store } = this.#files;
    store.refresh();
    return store.garbage.get(spaceKey(spaceId)) !== undefined || !store.hasRecords(spaceId);
  }

  #framesFor(records: number): number {
    const { dimension } = this.#pool.first;
    return framesNeeded(records, { dimension, hasGraph: this.#upkeep.wantsGraph(records) });
  }

  #loaded(memory: NamespaceSegments, { isAhead = false }: LoadedSpace): void {
    // Those that are searched come before it where memory is short.
    if (isAhead) memory.markUnused();
    const previous = this.#memories.get(memory.spaceId);
    this.#memories.set(memory.spaceId, memory);
    memory.takeDeltas();
    this.#announce({ kind: 'loaded', ...structureOf(memory) });
    if (previous !== undefined) this.#release(previous);
    for (const segment of memory.segments) this.#upkeep.consider(segment);
  }

  #failed({ spaceId, isAhead = false }: LoadedSpace, error: unknown): void {
    // Whoever has asked meanwhile asks again, and room is made.
    if (isAhead && error instanceof ArenaFull) this.#announce({ kind: 'dropped', spaceId });
    // No room for the new beside the old: the old goes, and the next query loads the namespace in its place.
    else if (!this.#memories.has(spaceId)) this.#markTooLarge(spaceId, this.#room.moreThanNow(spaceId));
    else if (error instanceof ArenaFull) this.#drop(spaceId);
    // A damaged file: searches straight from the records meet it too, and tell their callers. Other indexes go on.
    if (!(error instanceof ArenaFull)) process.emitWarning(error instanceof Error ? error : String(error));
  }

  /** Small namespaces are read from their records as fast. */
  #isKept(segment: NamespaceMemory): boolean {
    return segment.graph !== null || (this.#memories.get(segment.spaceId)?.segments.length ?? 0) > 1;
  }

  async #save(segment: NamespaceMemory): Promise<void> {
    const memory = this.#memories.get(segment.spaceId);
    const number = memory?.segments.indexOf(segment) ?? -1;
    if (memory === undefined || number < 0) return;
    const { generation, segments } = memory;
    const isCurrent = () => this.#memories.get(segment.spaceId) === memory;
    await this.#keeper.save(segment, { generation, number, count: segments.length, isCurrent });
  }

  /** Takes every namespace out of memory. */
  dropAll(): void {
    for (const spaceId of [...this.#memories.keys()]) this.#drop(spaceId);
  }

  #round(): void {
    this.#keeper.trimBacklog((spaceId) => this.#memories.get(spaceId)?.isSavable ?? false);
    this.#pool.countFrames();
    if (!this.#loads.isBusy) this.#pool.enlargePages();
    this.#loadAhead();
    for (const segment of this.segments()) this.#upkeep.consider(segment);
    if (this.#tooLarge.size > 0) this.#retryTooLarge(this.#room.reachable());
  }

  /** Gives those that need no more than so many frames another chance: the next query loads them. */
  #retryTooLarge(frames: number): void {
    for (const [spaceId, needed] of this.#tooLarge) {
      if (needed > frames) continue;
      this.#tooLarge.delete(spaceId);
      this.#announce({ kind: 'dropped', spaceId });
    }
  }

  #apply(memory: NamespaceSegments, effect: Exclude<Effect, { kind: 'drop' }>): boolean {
    if (effect.kind === 'remove') {
      memory.kill(effect.row);
      return true;
    }
    try {
      const values =
        effect.values === 'stored' ? (this.#files.rowFile?.readRow(effect.row) ?? null) : effect.values;
      memory.append({ ...effect, values });
      return true;
    } catch (error) {
      // The write is on disk and stands. Memory that cannot follow it goes; a query loads it again where it fits.
      this.#drop(memory.spaceId);
      if (!(error instanceof ArenaFull)) process.emitWarning(error instanceof Error ? error : String(error));
      return false;
    }
  }

  #publishMemory(memory: NamespaceSegments, seq: number): void {
    for (const delta of memory.takeDeltas()) this.#announce(delta);
    memory.publish(seq);
    const dead = memory.deadCount;
    if (dead > DEAD_SLOTS_MIN && dead * 2 > memory.slotCount)
      this.#loads.start({ spaceId: memory.spaceId, filterable: memory.filterable, isFresh: true });
    for (const segment of memory.segments) this.#upkeep.consider(segment);
  }

  #drop(spaceId: number): void {
    this.#loads.stop(spaceId);
    this.#ahead.forget(spaceId);
    this.#tooLarge.delete(spaceId);
    this.#announce({ kind: 'dropped', spaceId });
    const memory = this.#memories.get(spaceId);
    this.#memories.delete(spaceId);
    if (memory !== undefined) this.#release(memory);
  }

  /** Builders may still be at work in it. */
  #release(memory: NamespaceSegments): void {
    for (const segment of memory.segments) void this.#upkeep.retire(segment).then(() => segment.release());
  }

  #markTooLarge(spaceId: number, needed: number): void {
    this.#tooLarge.set(spaceId, needed);
    this.#announce({ kind: 'tooLarge', spaceId });
    this.#room.askOthers(needed);
  }

  #retireSeq(seq: number): void {
    const epoch = this.#epochs.advance();
    if (this.#retiredSeqs.length === RETIRED_SEQS_MAX) this.#retiredSeqs.pop();
    this.#retiredSeqs.push({ seq, epoch });
  }
}

function structureOf(memory: NamespaceSegments): {
  readonly spaceId: number;
  readonly segments: readonly NamespaceStructure[];
} {
  return { spaceId: memory.spaceId, segments: memory.structures() };
}
