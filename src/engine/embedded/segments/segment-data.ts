// The slots of a segment: codes, rows, ids, filter columns and posting lists, which only grow, and the live bitmap.
import { searchedTextsOf } from '../../../domain/full-text/searched-texts.ts';
import { scoresSparse } from '../../../domain/records/vector-record.ts';
import type { Metadata, SparseVector } from '../../port/reader-and-writer.ts';
import { CodeFrames } from '../ann/code-frames.ts';
import { ColumnWriter } from '../filters/column-writer.ts';
import { BLOCK_BYTES } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { PostingListWriter } from '../sparse/posting-list-writer.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import type { TextMemory } from '../text/layout.ts';
import { TextWriter } from '../text/text-writer.ts';
import { DeletedTexts } from './deleted-texts.ts';
import { IdList } from './id-list.ts';
import { LiveBitmap } from './live-bitmap.ts';
import { CODES, piecesPart, type SavedData } from './saved-segment.ts';
import type { SegmentContext } from './segment-context.ts';
import { SlotTable } from './slot-table.ts';
import { LIVE_SLOTS_PER_BLOCK, type StructureGrowth } from './structure.ts';

export interface NewSlot {
  readonly row: number;
  readonly id: string;
  /** Null on sparse indexes. A function reads those of a row that keeps them. */
  readonly values: Float32Array | (() => Float32Array | null) | null;
  readonly sparse: SparseVector | null;
  readonly metadata: Metadata | null;
}

/** What a namespace's segments have in common. */
export interface SegmentShape {
  /** Metadata fields kept in columns; null for all. */
  readonly filterable: readonly string[] | null;
  /** What codes are relative to; null, the default, for zero. */
  readonly origin?: Float32Array<ArrayBuffer> | null;
}

export class SegmentData {
  readonly live: LiveBitmap;
  readonly slots: SlotTable;
  readonly #ids: IdList;
  readonly columns: ColumnWriter;
  readonly #postings: PostingListWriter;
  readonly #postingFrames: number[] = [];
  /** Null without text fields. */
  readonly #texts: TextWriter | null;
  readonly deletedTexts: DeletedTexts;
  #textFrames: number[] = [];
  #textBlocks = 0;
  /** Null without dense vectors. */
  readonly codes: CodeFrames | null;
  readonly #context: SegmentContext;
  /**
   * Sorts a part of a column that filters ask for, some milliseconds of work; then send the growth to every reader. Call while
   * all that was appended is published. @returns false when no such part is left, or no memory for it
   */
  readonly sortColumn = (): boolean => this.columns.sortNext((bytes) => this.#runBuffer(bytes));
  readonly #blocks: number[] = [];
  #columnBlocks = 0;
  /** Of sorted columns. */
  #runBytes = 0;

  constructor(context: SegmentContext, { filterable, origin = null }: SegmentShape) {
    this.#context = context;
    this.live = new LiveBitmap(context.arena);
    this.slots = new SlotTable(context.arena);
    this.#ids = new IdList(context.arena);
    this.codes = context.dimension === null ? null : new CodeFrames(context, context.dimension, origin);
    this.#postings = new PostingListWriter({
      frame: () => this.#postingFrame(),
      block: () => this.block(),
      words: (endByte) => context.arena.words(endByte),
    });
    const fields = searchedTextsOf(context);
    this.#texts =
      fields.size === 0 ? null : new TextWriter(this.#textMemory(), { fields, seed: context.columnSeed });
    this.deletedTexts = new DeletedTexts(this.#texts);
    this.columns = new ColumnWriter({
      blocks: { allocate: () => this.#columnBlock() },
      buffer: (bytesMin) => context.arena.bufferOf(bytesMin),
      seed: context.columnSeed,
      filterable,
      // The full-text fields of documents, which have an index of their own; other texts are filtered, too.
      excluded: new Set(context.documents === null ? [] : fields.keys()),
    });
  }

  get codeFrames(): readonly number[] {
    return this.codes?.frames.addresses ?? [];
  }

  /** Bytes by content; `blocks` are live bits, rows and ids, and `codesInFile` need not be in memory. */
  get bytes(): {
    readonly codes: number;
    readonly codesInFile: number;
    readonly sparse: number;
    readonly texts: number;
    readonly columns: number;
    readonly blocks: number;
  } {
    const { file } = this.#context.allocator;
    const inFile = file === null ? 0 : this.codeFrames.filter((frame) => file.has(frame)).length;
    return {
      codes: (this.codeFrames.length - inFile) * FRAME_BYTES,
      codesInFile: inFile * FRAME_BYTES,
      sparse: this.#postingFrames.length * FRAME_BYTES,
      texts: this.#textFrames.length * FRAME_BYTES + this.#textBlocks * BLOCK_BYTES,
      columns: this.#columnBlocks * BLOCK_BYTES + this.#runBytes,
      blocks: (this.#blocks.length - this.#columnBlocks - this.#textBlocks) * BLOCK_BYTES,
    };
  }

  #runBuffer(bytes: number): SharedArrayBuffer | null {
    const buffer = this.#context.allocator.buffers.allocate(bytes);
    if (buffer !== null) this.#runBytes += bytes;
    return buffer;
  }

  #columnBlock(): number {
    const block = this.block();
    this.#columnBlocks++;
    return block;
  }

  /** Documents are searched by sparse values alone, whatever the metric of the dense ones. */
  get #searchesSparse(): boolean {
    return scoresSparse(this.#context) || this.#context.documents !== null;
  }

  get hasSparse(): boolean {
    return this.#postingFrames.length > 0;
  }

  get hasTexts(): boolean {
    return this.#textBlocks > 0;
  }

  /** Allocates a zeroed block that is freed with the segment. @throws ArenaFull */
  block(): number {
    const block = this.#context.allocator.block();
    this.#blocks.push(block);
    return block;
  }

  /** Adds a record at the next slot, `at`; invisible until its live bit is set. @throws ArenaFull */
  append(at: number, slot: NewSlot): void {
    const newBlock = () => this.block();
    this.#appendCodes(at, slot);
    if (slot.sparse !== null && this.#searchesSparse) this.#postings.append(at, slot.sparse);
    this.live.reach(at, newBlock);
    if (slot.metadata !== null) this.#appendMetadata(at, slot.metadata);
    const idOffset = this.#ids.append(slot.id, newBlock);
    this.slots.append(at, { row: slot.row, idOffset }, newBlock);
  }

  /** Copies the codes of a vector that stays from the slot that its row has just lost. */
  #appendCodes(at: number, { row, values }: NewSlot): void {
    const { lastTaken } = this.slots;
    if (typeof values === 'function' && lastTaken?.row === row) this.codes?.copy(at, lastTaken.slot);
    else {
      const given = typeof values === 'function' ? values() : values;
      if (given !== null) this.codes?.append(at, given);
    }
  }

  /**
   * Lets readers find the texts that were appended, and counts those of slots in and out of the statistics. Call while readers
   * take no snapshots, when the live bits are set.
   */
  publishTexts(slotCount: number): void {
    const texts = this.#texts;
    if (texts === null) return;
    texts.countAppended(slotCount);
    this.deletedTexts.count(() => {
      const live = new Uint32Array(Math.ceil(slotCount / 32));
      this.live.copy(live, slotCount);
      return live;
    });
    texts.publish();
  }

  #appendMetadata(at: number, metadata: Metadata): void {
    this.#texts?.append(at, metadata);
    this.columns.append(at, metadata);
  }

  #textMemory(): TextMemory {
    const { allocator, arena } = this.#context;
    return {
      frames: (count) => {
        const first = allocator.frames(count);
        for (let i = 0; i < count; i++) this.#textFrames.push(first + i * FRAME_BYTES);
        return first;
      },
      block: () => {
        const block = this.block();
        this.#textBlocks++;
        return block;
      },
      retire: (frames) => {
        const retired = new Set(frames);
        this.#textFrames = this.#textFrames.filter((frame) => !retired.has(frame));
        allocator.retire(frames, []);
      },
      epochs: allocator.epochs,
      words: (endByte) => arena.words(endByte),
      bytes: (endByte) => arena.bytes(endByte),
    };
  }

  /** The parts added since the last call; send them to every reader before publishing. Null when there are none. */
  takeGrowth(): StructureGrowth | null {
    const growth: StructureGrowth = {
      frames: this.codes?.frames.takeNew() ?? [],
      liveBlocks: this.live.blocks.takeNew(),
      slotBlocks: this.slots.blocks.takeNew(),
      idBlocks: this.#ids.blocks.takeNew(),
      postings: this.#postings.takeDeltas(),
      columns: this.columns.takeDeltas(),
      texts: this.#texts?.takeDeltas() ?? [],
    };
    const isEmpty = Object.values(growth).every((part: readonly unknown[]) => part.length === 0);
    return isEmpty ? null : growth;
  }

  /** All parts. */
  structure(): StructureGrowth {
    return {
      frames: [...this.codeFrames],
      liveBlocks: [...this.live.blocks.addresses],
      slotBlocks: [...this.slots.blocks.addresses],
      idBlocks: [...this.#ids.blocks.addresses],
      postings: this.#postings.snapshot(),
      columns: this.columns.snapshot(),
      texts: this.#texts?.snapshot() ?? [],
    };
  }

  /** The parts of the first `slotCount` slots, all of them published; appends may go on while the parts are read. */
  save(slotCount: number): { readonly saved: SavedData; readonly parts: readonly Part[] } {
    const live = new Uint32Array(Math.ceil(slotCount / 32));
    this.live.copy(live, slotCount);
    const { saved: columns, blocks } = this.columns.save();
    const codeFrames = this.codeFrames.slice(0, this.codes?.framesFor(slotCount));
    const origin = this.codes?.space.origin ?? null;
    const postings = this.hasSparse ? this.#postings.save() : null;
    const texts = this.#texts?.save() ?? null;
    const slotBlocks = [...this.slots.blocks.addresses];
    const idBlocks = [...this.#ids.blocks.addresses];
    return {
      saved: {
        columns,
        codeFrames: codeFrames.length,
        slotBlocks: slotBlocks.length,
        idBlocks: idBlocks.length,
        idsEnd: this.#ids.end,
        ...(origin === null ? {} : { hasOrigin: true as const }),
        ...(postings === null ? {} : { postings: postings.saved }),
        ...(texts === null ? {} : { texts: texts.saved }),
      },
      parts: [
        ...partsOf(live, {
          codeFrames,
          slotBlocks,
          idBlocks,
          columnBlocks: blocks,
          isPacked: texts !== null,
        }),
        ...originPart(origin),
        ...(postings?.parts ?? []),
        ...(texts?.parts ?? []),
      ],
    };
  }

  /**
   * Allocates what `save` returned, in an empty segment; null when its texts were analyzed otherwise than this one's are. Fill
   * the parts, then call `finish`. Codes that were mapped are no part to fill. @throws ArenaFull
   */
  restore(saved: SavedData, slotCount: number): { readonly parts: readonly Part[]; finish(): void } | null {
    if (!this.#isRestorable(saved)) return null;
    const postings = saved.postings === undefined ? null : this.#postings.restore(saved.postings, slotCount);
    const texts = saved.texts === undefined ? null : this.#texts?.restore(saved.texts, slotCount);
    const live = new Uint32Array(Math.ceil(slotCount / 32));
    const { codeFrames, slotBlocks, idBlocks, idsEnd } = saved;
    const origin = saved.hasOrigin === true ? new Float32Array(this.#context.dimension ?? 0) : null;
    const hasCodes = this.codes?.restore(codeFrames, origin) ?? false;
    for (let i = 0; i < slotBlocks; i++) this.slots.blocks.push(this.block());
    for (let i = 0; i < idBlocks; i++) this.#ids.blocks.push(this.block());
    this.#ids.continueAt(idsEnd);
    const columnBlocks = this.columns.restore(saved.columns);
    for (let at = 0; at < slotCount; at += LIVE_SLOTS_PER_BLOCK) this.live.reach(at, () => this.block());
    return {
      parts: [
        ...partsOf(live, {
          codeFrames: this.codeFrames,
          slotBlocks: this.slots.blocks.addresses,
          idBlocks: this.#ids.blocks.addresses,
          columnBlocks,
          isPacked: texts !== null,
        }).filter(({ name }) => !hasCodes || name !== CODES),
        ...originPart(origin),
        ...(postings?.parts ?? []),
        ...(texts?.parts ?? []),
      ],
      finish: () => {
        postings?.finish();
        texts?.finish();
        this.live.fill(live);
        this.slots.index(slotCount, (slot) => this.live.has(slot));
      },
    };
  }

  #isRestorable({ texts }: SavedData): boolean {
    return texts === undefined ? this.#texts === null : (this.#texts?.isRestorable(texts) ?? false);
  }

  #postingFrame(): number {
    const frame = this.#context.allocator.frame();
    this.#postingFrames.push(frame);
    return frame;
  }

  /** Frees all its memory. */
  release(): void {
    const frames = [...this.codeFrames, ...this.#postingFrames, ...this.#textFrames];
    this.#context.allocator.retire(frames, this.#blocks);
    this.#context.allocator.buffers.forget(this.#runBytes);
  }
}

function originPart(origin: Float32Array<ArrayBuffer> | null): readonly Part[] {
  return origin === null ? [] : [{ name: 'origin', bytes: new Uint8Array(origin.buffer) }];
}

function partsOf(
  live: Uint32Array<ArrayBuffer>,
  pieces: {
    readonly codeFrames: readonly number[];
    readonly slotBlocks: readonly number[];
    readonly idBlocks: readonly number[];
    readonly columnBlocks: readonly number[];
    /** Whether the file compresses rows and ids, too, which beside vectors would save little. */
    readonly isPacked: boolean;
  },
): readonly Part[] {
  return [
    // First, since a file's first part begins at a page: it can be mapped.
    piecesPart(CODES, pieces.codeFrames, FRAME_BYTES),
    { name: 'live', bytes: new Uint8Array(live.buffer) },
    { ...piecesPart('slots', pieces.slotBlocks, BLOCK_BYTES), isPacked: pieces.isPacked },
    { ...piecesPart('ids', pieces.idBlocks, BLOCK_BYTES), isPacked: pieces.isPacked },
    piecesPart('columns', pieces.columnBlocks, BLOCK_BYTES),
  ];
}
