// The writer's side of a segment, the part of a namespace in one arena. Slots never change once written, so a reader
// that holds a snapshot (slot count and live bitmap) never sees half a record.
import { FRAME_BYTES } from '../memory/arena.ts';
import { runsOf } from '../memory/frame-runs.ts';
import { announceReads } from '../memory/page-requests.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import type { DeletedRecord } from './deleted-record.ts';
import { GraphIndex } from './graph-index.ts';
import type { SavedSegment, SegmentState } from './saved-segment.ts';
import type { SegmentContext } from './segment-context.ts';
import { type NewSlot, SegmentData, type SegmentShape } from './segment-data.ts';
import { SegmentHeader } from './segment-header.ts';
import type { NamespaceStructure } from './structure.ts';

/** A segment that waits for the parts of its file. */
export interface RestoringSegment {
  /** To be filled from the file. */
  readonly parts: readonly Part[];
  /**
   * Completes the segment once the parts are filled; publish it afterwards.
   * @param hasGraph false when the parts of the graph could not be read: the segment then has none. @throws ArenaFull
   */
  finish(hasGraph: boolean): void;
}

export class SegmentWriter {
  readonly namespaceId: number;
  /** Metadata fields kept in columns; null for all. */
  readonly filterable: readonly string[] | null;
  readonly context: SegmentContext;
  readonly data: SegmentData;
  readonly header: SegmentHeader;
  readonly graphIndex: GraphIndex;
  /** As `recount` of the deleted texts. */
  readonly recountTexts = (): Generator<void> =>
    this.data.deletedTexts.recount(this.#slotCount, () => this.#liveSlots());
  /** Slots deleted since the last `endPublish`. */
  /** Slots. */
  readonly #deleted: number[] = [];
  #slotCount = 0;
  #liveCount = 0;
  /** Slots that readers may see, those that are live in the bitmap. */
  #publishedSlots = 0;
  #isPublished = false;
  #deletions = 0;
  #changedAt = 0;
  /** The last write published. */
  #seq = 0;

  /** @throws ArenaFull */
  constructor(namespaceId: number, shape: SegmentShape, context: SegmentContext) {
    this.namespaceId = namespaceId;
    this.filterable = shape.filterable;
    this.context = context;
    this.data = new SegmentData(context, shape);
    this.header = new SegmentHeader(context.arena, this.data.block());
    this.graphIndex = new GraphIndex(context, this.data, this.header);
  }

  get slotCount(): number {
    return this.#slotCount;
  }

  /** Slots that are not tombstones. */
  get liveCount(): number {
    return this.#liveCount;
  }

  /** Rises with each slot that is appended, deleted or indexed. */
  get changes(): number {
    return this.#slotCount + this.#deletions + (this.graphIndex.graph?.slots ?? 0);
  }

  /** When the last write was published, in milliseconds of performance.now(). */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** True when there is something to publish. */
  get isChanged(): boolean {
    return !this.#isPublished || this.#deleted.length > 0 || this.#slotCount !== this.#publishedSlots;
  }

  /**
   * Adds a record at the next slot; invisible until `endPublish`.
   * @throws ArenaFull
   */
  append(slot: NewSlot): void {
    // A slot that the graph cannot take would be scanned for ever: it belongs in another segment.
    this.graphIndex.reservation.ensure(this.#slotCount);
    this.data.append(this.#slotCount, slot);
    this.#slotCount++;
    this.#liveCount++;
  }

  /** Makes the slot of a row a tombstone at the next `endPublish`. @returns false when the row has no slot here */
  markDeleted(row: number, record: DeletedRecord): boolean {
    const slot = this.data.slots.take(row);
    if (slot === undefined) return false;
    this.#deleted.push(slot);
    this.data.deletedTexts.note(record);
    this.#deletions++;
    this.#liveCount--;
    this.graphIndex.markDeleted(slot);
    return true;
  }

  /** Where everything lies, for readers that attach now. */
  structure(): NamespaceStructure {
    const { namespaceId, context, header } = this;
    const origin = this.data.codes?.space.origin ?? null;
    return { namespaceId, arena: context.number, header: header.address, origin, ...this.data.structure() };
  }

  /**
   * Makes everything appended and deleted since the last call visible at once. Call `header.beginChange` before.
   * @param seq number of the last write it contains
   */
  endPublish(seq: number): void {
    const { live, columns } = this.data;
    for (let slot = this.#publishedSlots; slot < this.#slotCount; slot++) live.set(slot, true);
    for (const slot of this.#deleted) live.set(slot, false);
    this.data.publishTexts(this.#slotCount);
    this.#deleted.length = 0;
    this.#publishedSlots = this.#slotCount;
    this.#isPublished = true;
    this.#changedAt = performance.now();
    this.#seq = seq;
    this.header.setCounts({ slotCount: this.#slotCount, liveCount: this.#liveCount, seq });
    this.header.setGraph(this.graphIndex.graph);
    columns.publish();
    this.header.endChange();
  }

  /** The live slots as they are after the next `endPublish`. */
  #liveSlots(): Uint32Array {
    const live = new Uint32Array(Math.ceil(this.#slotCount / 32));
    this.data.live.copy(live, this.#slotCount);
    const set = (slot: number, bit: 0 | 1) => {
      const word = live[slot >>> 5] ?? 0;
      live[slot >>> 5] = (word & ~(1 << (slot & 31))) | (bit << (slot & 31));
    };
    for (let slot = this.#publishedSlots; slot < this.#slotCount; slot++) set(slot, 1);
    for (const slot of this.#deleted) set(slot, 0);
    return live;
  }

  /** The segment as published. Appends may go on while the parts are read, but no job may run on the graph. */
  save(): SavedSegment {
    const data = this.data.save(this.#slotCount);
    const graph = this.graphIndex.graph?.save() ?? null;
    const state: SegmentState = {
      spaceId: this.namespaceId,
      filterable: this.filterable,
      seq: this.#seq,
      slotCount: this.#slotCount,
      pieces: data.saved,
      graph: graph?.state ?? null,
      deadInGraph: this.graphIndex.tombstones,
    };
    return { state, parts: [...data.parts, ...(graph?.parts ?? [])] };
  }

  /**
   * Allocates a saved segment in this empty one, whose codes may have been mapped.
   * @returns null when its texts were analyzed in another way. @throws ArenaFull
   */
  restore(state: SegmentState): RestoringSegment | null {
    const { slotCount } = state;
    const data = this.data.restore(state.pieces, slotCount);
    if (data === null) return null;
    const graph = this.graphIndex.restore(state.graph);
    return {
      parts: [...data.parts, ...(graph?.parts ?? [])],
      finish: (hasGraph) => {
        data.finish();
        this.#slotCount = slotCount;
        this.#publishedSlots = slotCount;
        this.#liveCount = this.data.live.slots(0, slotCount).length;
        this.#seq = state.seq;
        this.#readingCodesInOrder(() => graph?.finish(hasGraph, state.deadInGraph));
      },
    };
  }

  /** What a file does not keep of a graph is made of samples, which lie all over codes that may be on disk. */
  #readingCodesInOrder(work: () => void): void {
    const { arena, hasNodeCodes } = this.context;
    const runs = hasNodeCodes ? runsOf(this.data.codeFrames) : [];
    const ranges = runs.map(({ address, count }) => ({ address, bytes: count * FRAME_BYTES }));
    announceReads(arena, ranges, true);
    work();
    announceReads(arena, ranges, false);
  }

  /** Frees all its memory. Readers must have been notified before, and no job may be running on the graph. */
  release(): void {
    this.graphIndex.release();
    this.data.release();
  }
}

/** Bytes of memory that a segment takes, by what they contain. */
export function bytesOf({
  data,
  graphIndex,
}: SegmentWriter): SegmentData['bytes'] & { readonly graph: number } {
  return { ...data.bytes, graph: (graphIndex.graph?.frames ?? 0) * FRAME_BYTES };
}
