// The writer's side of a segment, a part of a namespace in one arena: appends slots, kills slots, publishes. Slots are
// never changed, so a reader that holds a snapshot (slot count and live bitmap) can never see a record half-written.
import type { Metric } from '../../../domain/index-model.ts';
import type { Metadata, SparseVector } from '../../port/reader-and-writer.ts';
import { GraphMemory, isSameShape, type SavedGraph } from '../ann/graph-memory.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { type Allocator, ArenaFull, BLOCK_BYTES, type Reservation } from '../memory/allocator.ts';
import { type Arena, FRAME_BYTES } from '../memory/arena.ts';
import { reservationFor } from './graph-reservation.ts';
import type { EmptySegment, SavedSegment, SegmentState } from './saved-segment.ts';
import { SegmentData } from './segment-data.ts';
import { HeaderWord, type NamespaceStructure, type StructureGrowth } from './structure.ts';

/** What the segments in an arena are made with. */
export interface SegmentContext {
  /** The arena's number, by which readers know it. */
  readonly number: number;
  readonly arena: Arena;
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  readonly dimension: number | null;
  readonly metric: Metric;
  /** Address of room for one float row, the writer's own. */
  readonly rowScratch: number;
  /** Secret of the filter columns' hashes; readers need the same. */
  readonly columnSeed: number;
  /** Segments with fewer slots have no graph. */
  readonly graphSlotsMin: number;
  /** Frames of working space for all that search and build a segment of so many slots. */
  readonly scratchFrames: (slots: number, hasSparse: boolean) => number;
}

/** Slots that room is promised for at a time. */
const RESERVED_SLOTS = 256;

export interface NewSlot {
  readonly row: number;
  readonly id: string;
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
  readonly metadata: Metadata | null;
}

export class SegmentWriter {
  readonly namespaceId: number;
  /** Metadata fields kept in columns; null for all. */
  readonly filterable: readonly string[] | null;
  readonly context: SegmentContext;
  readonly #header: number;
  readonly #pieces: SegmentData;
  readonly #markedDeleted: number[] = [];
  #slotCount = 0;
  #liveCount = 0;
  /** Slots whose bits are set, where they live. */
  #publishedSlots = 0;
  #isPublished = false;
  #deletions = 0;
  #changedAt = 0;
  /** The last write published. */
  #seq = 0;
  #graph: GraphMemory | null = null;
  #tombstonesInGraph = 0;
  /** Slots for whose graph there is room, whatever others take. */
  #reservedSlots = 0;

  /** @throws ArenaFull */
  constructor(namespaceId: number, filterable: readonly string[] | null, context: SegmentContext) {
    this.namespaceId = namespaceId;
    this.filterable = filterable;
    this.context = context;
    this.#pieces = new SegmentData(context, filterable);
    this.#header = this.#pieces.block();
    this.#setWord(HeaderWord.LastUsed, Math.floor(Date.now() / 1_000));
  }

  /** Seconds, of the clock that readers use, when a query last looked at it. */
  get lastUsed(): number {
    return this.#words[this.#header / 4 + HeaderWord.LastUsed] ?? 0;
  }

  /** Takes it for one that no query has looked at. */
  markUnused(): void {
    this.#setWord(HeaderWord.LastUsed, 0);
  }

  get slotCount(): number {
    return this.#slotCount;
  }

  get liveCount(): number {
    return this.#liveCount;
  }

  /** Slots whose record was replaced or deleted; a reload gets rid of them. */
  get tombstoneCount(): number {
    return this.#slotCount - this.#liveCount;
  }

  /** Counts slots that came, slots that died and slots that went into the graph. */
  get changes(): number {
    return this.#slotCount + this.#deletions + (this.#graph?.slots ?? 0);
  }

  /** When the last write was published; of performance.now(). */
  get changedAt(): number {
    return this.#changedAt;
  }

  get graph(): GraphMemory | null {
    return this.#graph;
  }

  /** Nodes of the graph whose record was replaced or deleted since the last `graphRepaired`. */
  get tombstonesInGraph(): number {
    return this.#tombstonesInGraph;
  }

  /** Bytes of memory by what they hold. */
  get bytes(): SegmentData['bytes'] & { readonly graph: number } {
    return { ...this.#pieces.bytes, graph: (this.#graph?.frames ?? 0) * FRAME_BYTES };
  }

  /**
   * Adds a record at the next slot; invisible until `publish`.
   * @throws ArenaFull
   */
  append(slot: NewSlot): void {
    // A slot without room in the graph would be scanned for ever: it belongs in another segment.
    if (this.#slotCount >= this.#reservedSlots && !this.reserve(this.#slotCount + RESERVED_SLOTS))
      throw new ArenaFull();
    this.#pieces.append(this.#slotCount, slot);
    this.#slotCount++;
    this.#liveCount++;
  }

  /** Takes the slot of a row out of the live ones at the next `publish`. @returns false when it has none */
  markDeleted(row: number): boolean {
    const slot = this.#pieces.slots.take(row);
    if (slot === undefined) return false;
    this.#markedDeleted.push(slot);
    this.#deletions++;
    this.#liveCount--;
    if (slot < (this.#graph?.begun ?? 0)) this.#tombstonesInGraph++;
    return true;
  }

  /** Begins an empty graph; readers go on scanning until slots are in it. @throws ArenaFull */
  startGraph(): GraphMemory {
    const { dimension } = this.context;
    if (dimension === null) throw new Error('there are no graphs without dense vectors');
    const graph = this.context.allocator.withReserved(() => new GraphMemory({ ...this.context, dimension }));
    this.#graph = graph;
    this.#tombstonesInGraph = 0;
    return graph;
  }

  /** Forgets the graph: everything is scanned again. No job may be at work on it. */
  dropGraph(): void {
    const graph = this.#graph;
    if (graph === null) return;
    this.#graph = null;
    this.#tombstonesInGraph = 0;
    this.publishGraph();
    graph.release();
    this.#assureRoom();
  }

  /** Makes room in the graph for the slots below `slotLimit`. No job may be at work on it. @throws ArenaFull */
  extendGraph(slotLimit: number): void {
    try {
      this.context.allocator.withReserved(() => this.#graph?.reach(slotLimit, this.#pieces.codeFrames));
    } finally {
      this.#assureRoom();
    }
  }

  /** Keeps room for the graph of so many slots, and for whoever searches and builds it. @returns false where there is too little */
  reserve(slots: number): boolean {
    const isThere = this.context.allocator.promise(this, this.#roomFor(slots));
    if (isThere) this.#reservedSlots = slots;
    return isThere;
  }

  /** Notes that the graph's regions are others. */
  graphRegrouped(): void {
    this.#assureRoom();
  }

  /** Notes that a removal took `dead` nodes out of the graph. */
  graphRepaired(dead: number): void {
    this.#tombstonesInGraph -= dead;
  }

  /** The live ones, as published, among the slots from..until. */
  liveSlots(from: number, until: number): Uint32Array {
    return this.#pieces.live.slots(from, until);
  }

  /** Copies the bitmap of live slots, as published, to `address`. */
  copyLive(address: number, slotLimit: number): void {
    const words = Math.ceil(slotLimit / 32);
    const into = this.context.arena.words(address + words * 4).subarray(address / 4, address / 4 + words);
    this.#pieces.live.copy(into, slotLimit);
  }

  /** The parts added since the last call; post them to every reader before `publish`. Null when there are none. */
  takeGrowth(): StructureGrowth | null {
    const growth = this.#pieces.takeGrowth();
    const empty = Object.values(growth).every((part: readonly unknown[]) => part.length === 0);
    return empty ? null : growth;
  }

  /** The whole structure, for readers that come late. */
  structure(): NamespaceStructure {
    const { namespaceId, context } = this;
    return { namespaceId, arena: context.number, header: this.#header, ...this.#pieces.structure() };
  }

  /** True when there is something to publish. */
  get isChanged(): boolean {
    return !this.#isPublished || this.#markedDeleted.length > 0 || this.#slotCount !== this.#publishedSlots;
  }

  /** Readers take no snapshot from now until `endPublish`. */
  beginPublish(): void {
    Atomics.add(this.#words, this.#header / 4 + HeaderWord.Version, 1);
  }

  /** Makes everything appended and killed since the last call visible at once. */
  endPublish(seq: number): void {
    const { live, columns } = this.#pieces;
    for (let slot = this.#publishedSlots; slot < this.#slotCount; slot++) live.set(slot, true);
    for (const slot of this.#markedDeleted) live.set(slot, false);
    this.#markedDeleted.length = 0;
    this.#publishedSlots = this.#slotCount;
    this.#isPublished = true;
    this.#changedAt = performance.now();
    this.#seq = seq;
    this.#setWord(HeaderWord.SlotCount, this.#slotCount);
    this.#setWord(HeaderWord.LiveCount, this.#liveCount);
    this.#setWord(HeaderWord.SeqLow, seq % 2 ** 32);
    this.#setWord(HeaderWord.SeqHigh, Math.floor(seq / 2 ** 32));
    this.#setGraphWords();
    columns.publish();
    Atomics.add(this.#words, this.#header / 4 + HeaderWord.Version, 1);
  }

  /** Shows readers how far the graph is good now. */
  publishGraph(): void {
    this.beginPublish();
    this.#setGraphWords();
    Atomics.add(this.#words, this.#header / 4 + HeaderWord.Version, 1);
  }

  /** False with sparse vectors: such segments are loaded from their records. */
  get isSavable(): boolean {
    return this.#pieces.isSavable;
  }

  /**
   * The segment as it is published; null when it cannot be saved. What the writer adds while the parts are read does no
   * harm; jobs on the graph would.
   */
  save(): SavedSegment | null {
    const pieces = this.#pieces.save(this.#slotCount);
    if (pieces === null) return null;
    const graph = this.#graph?.save() ?? null;
    const state: SegmentState = {
      spaceId: this.namespaceId,
      filterable: this.filterable,
      seq: this.#seq,
      slotCount: this.#slotCount,
      pieces: pieces.saved,
      graph: graph?.state ?? null,
      deadInGraph: this.#tombstonesInGraph,
    };
    return { state, parts: [...pieces.parts, ...(graph?.parts ?? [])] };
  }

  /** Makes room for a saved segment. @throws ArenaFull */
  static restore(state: SegmentState, context: SegmentContext): EmptySegment {
    const memory = new SegmentWriter(state.spaceId, state.filterable, context);
    try {
      return memory.#restore(state);
    } catch (error) {
      memory.release();
      throw error;
    }
  }

  /** Gives all its memory back. Readers must have been told before. */
  release(): void {
    this.#graph?.release();
    this.#pieces.release();
    this.context.allocator.unreserve(this);
  }

  #restore(state: SegmentState): EmptySegment {
    const { slotCount } = state;
    const pieces = this.#pieces.restore(state.pieces, slotCount);
    const graph = this.#restoreGraph(state.graph);
    return {
      memory: this,
      parts: [...pieces.parts, ...(graph?.parts ?? [])],
      finish: (hasGraph) => {
        pieces.finish();
        this.#slotCount = slotCount;
        this.#publishedSlots = slotCount;
        this.#liveCount = this.#pieces.live.slots(0, slotCount).length;
        this.#seq = state.seq;
        if (graph === null) return;
        if (!hasGraph) {
          this.#graph = null;
          graph.memory.release();
          this.#assureRoom();
          return;
        }
        this.context.allocator.withReserved(() => graph.finish(this.#pieces.codeFrames));
        this.#tombstonesInGraph = state.deadInGraph;
        this.#assureRoom();
      },
    };
  }

  #restoreGraph(saved: SavedGraph | null): ReturnType<GraphMemory['restore']> | null {
    if (saved === null || !isSameShape(saved)) return null;
    const graph = this.startGraph();
    return this.context.allocator.withReserved(() => graph.restore(saved));
  }

  /** What the graph has taken was promised to it, what it has left is promised again. */
  #assureRoom(): void {
    this.context.allocator.assure(this, this.#roomFor(this.#reservedSlots));
  }

  #roomFor(slots: number): Reservation {
    const { dimension, graphSlotsMin, scratchFrames } = this.context;
    const scratch = scratchFrames(slots, this.#pieces.hasSparse);
    return reservationFor({ slots, graphSlotsMin, scratch, dimension }, this.#graph);
  }

  #setGraphWords(): void {
    this.#setWord(HeaderWord.Graph, this.#graph?.address ?? 0);
    this.#setWord(HeaderWord.GraphSlots, this.#graph?.slots ?? 0);
    this.#setWord(HeaderWord.Unplaced, this.#graph?.unplaced ?? 0);
  }

  #setWord(word: number, value: number): void {
    this.#words[this.#header / 4 + word] = value;
  }

  get #words(): Uint32Array<SharedArrayBuffer> {
    return this.context.arena.words(this.#header + BLOCK_BYTES);
  }
}
