// The readers' side of a segment: takes snapshots, finds rows and frames. Each reader thread has its own.
import { monotonicSeconds } from '../../../platform/monotonic-clock.ts';
import { ColumnReader } from '../filters/column-reader.ts';
import {
  codeOffset,
  codeStride,
  GRAPH_BYTES,
  GRAPH_NODE_CODE_BITS,
  META_BYTES,
  metaOffset,
  rowsPerFrame,
} from '../kernels/layout.ts';
import { BLOCK_BYTES } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';
import type { Range } from '../memory/page-requests.ts';
import { PostingListReader } from '../sparse/posting-list-reader.ts';
import { TextReader } from '../text/text-reader.ts';
import { readIds } from './id-list.ts';
import {
  HeaderWord,
  LIVE_SLOTS_PER_BLOCK,
  type NamespaceStructure,
  SLOT_WORDS,
  SLOTS_PER_BLOCK,
  SlotWord,
  type StructureGrowth,
} from './structure.ts';

/** A consistent state of a namespace between two writes. */
export interface Snapshot {
  /** Version of the header it was read from; see `isStill`. */
  readonly version: number;
  /** Slots 0 .. slotCount-1 exist; live ones are set in the bitmap passed to `snapshot`, if it has one. */
  readonly slotCount: number;
  /** If it equals `slotCount`, the snapshot has no bitmap. */
  readonly liveCount: number;
  /** The last write it contains. */
  readonly seq: number;
  /** Null when all slots are to be scanned. */
  readonly graph: GraphPart | null;
}

/** The slots that are searched through the graph; the rest is the tail, to be scanned. */
export interface GraphPart {
  readonly address: number;
  /** Slots below are in the graph, but for the unplaced and the dead. */
  readonly slots: number;
  /** Address of the list of slots that the graph refused; see `SegmentReader.unplacedSlots`. */
  readonly unplaced: number;
  /** True where a search estimates distances by codes in the nodes. */
  readonly hasNodeCodes: boolean;
}

/** Completes the bitmap that a snapshot was taken into: it may lack what the counts say already. */
export function setLive(bitmap: Uint32Array, { liveCount, slotCount }: Snapshot): void {
  if (liveCount < slotCount) return;
  const whole = slotCount >>> 5;
  bitmap.fill(0xffff_ffff, 0, whole);
  if (slotCount % 32 > 0) bitmap[whole] = 2 ** (slotCount % 32) - 1;
}

/** A frame of codes, and the slots that it has. */
export interface CodeFrame {
  readonly address: number;
  readonly firstSlot: number;
  readonly rows: number;
}

export class SegmentReader {
  readonly columns: ColumnReader;
  readonly postings: PostingListReader;
  readonly texts: TextReader;
  /** What the codes are relative to; null for zero. */
  readonly origin: Float32Array<ArrayBuffer> | null;
  readonly #arena: Arena;
  readonly #header: number;
  readonly #dimension: number;
  readonly #rowsPerFrame: number;
  readonly #frames: number[];
  readonly #liveBlocks: number[];
  readonly #slotBlocks: number[];
  readonly #idBlocks: number[];
  /** Where the codes of a slot's row and their metadata lie. */
  readonly codesOf = (slot: number): readonly Range[] => {
    const frame = this.#frames[Math.floor(slot / this.#rowsPerFrame)] ?? 0;
    const row = slot % this.#rowsPerFrame;
    return [
      { address: frame + codeOffset(this.#dimension, row), bytes: codeStride(this.#dimension) },
      { address: frame + metaOffset(this.#dimension, row), bytes: META_BYTES },
    ];
  };
  /** Address at which the last slot block ends. */
  #slotsEnd = 0;

  constructor(
    arena: Arena,
    structure: NamespaceStructure,
    options: { dimension: number | null; columnSeed: number },
  ) {
    this.#arena = arena;
    this.#header = structure.header;
    this.origin = structure.origin;
    this.#dimension = options.dimension ?? 0;
    this.#rowsPerFrame = options.dimension === null ? 0 : rowsPerFrame(options.dimension);
    this.#frames = [...structure.frames];
    this.#liveBlocks = [...structure.liveBlocks];
    this.#slotBlocks = [...structure.slotBlocks];
    this.#idBlocks = [...structure.idBlocks];
    this.#noteEnds(structure);
    this.postings = new PostingListReader({
      words: (endByte) => arena.words(endByte),
      structure: structure.postings,
    });
    this.texts = new TextReader(
      { words: (endByte) => arena.words(endByte), bytes: (endByte) => arena.bytes(endByte) },
      { seed: options.columnSeed, structure: structure.texts },
    );
    this.columns = new ColumnReader({
      buffer: (bytesMin) => arena.bufferOf(bytesMin),
      seed: options.columnSeed,
      structure: structure.columns,
    });
  }

  grow(growth: StructureGrowth): void {
    this.#frames.push(...growth.frames);
    this.#liveBlocks.push(...growth.liveBlocks);
    this.#slotBlocks.push(...growth.slotBlocks);
    this.#idBlocks.push(...growth.idBlocks);
    this.#noteEnds(growth);
    this.postings.apply(growth.postings);
    this.columns.apply(growth.columns);
    this.texts.apply(growth.texts);
  }

  /** Current number of slots: a hint for the size of a snapshot's bitmap. */
  get slotCount(): number {
    return Atomics.load(this.#words(this.#header + BLOCK_BYTES), this.#header / 4 + HeaderWord.SlotCount);
  }

  /** True when slots are in a graph. */
  get hasGraph(): boolean {
    return (
      Atomics.load(this.#words(this.#header + BLOCK_BYTES), this.#header / 4 + HeaderWord.GraphSlots) > 0
    );
  }

  /**
   * Reads the counts, and copies the live bitmap that goes with them into `bitmap` unless all slots live; see `setLive`.
   * @returns null when a write intervened, or there are slots beyond the bitmap or the known structure: enlarge the
   *   bitmap, apply the writer's deltas, and try again
   */
  snapshot(bitmap: Uint32Array): Snapshot | null {
    const header = this.#words(this.#header + BLOCK_BYTES);
    const at = this.#header / 4;
    const version = Atomics.load(header, at + HeaderWord.Version);
    const slotCount = header[at + HeaderWord.SlotCount] ?? 0;
    const words = Math.ceil(slotCount / 32);
    const liveCount = header[at + HeaderWord.LiveCount] ?? 0;
    const graph = header[at + HeaderWord.Graph] ?? 0;
    const graphSlots = header[at + HeaderWord.GraphSlots] ?? 0;
    const unplaced = header[at + HeaderWord.Unplaced] ?? 0;
    const seq = (header[at + HeaderWord.SeqHigh] ?? 0) * 2 ** 32 + (header[at + HeaderWord.SeqLow] ?? 0);
    if (version % 2 === 1 || words > bitmap.length) return null;
    if (this.#knownSlots() < slotCount) return null;
    if (liveCount < slotCount) this.#copyLive(bitmap, words);
    // Adds 0, where x64 would do with a load: no processor reorders the reads above behind a read-modify-write.
    if (Atomics.add(header, at + HeaderWord.Version, 0) !== version) return null;
    const part =
      graphSlots === 0
        ? null
        : { address: graph, slots: graphSlots, unplaced, hasNodeCodes: this.#hasNodeCodes(graph) };
    return { version, slotCount, liveCount, seq, graph: part };
  }

  /** True when no write has come since the snapshot was taken. */
  isStill({ version }: Snapshot): boolean {
    const words = this.#words(this.#header + BLOCK_BYTES);
    return Atomics.add(words, this.#header / 4 + HeaderWord.Version, 0) === version;
  }

  /** Shows the writer, which evicts the least recently used, that a query uses this segment. */
  noteUse(): void {
    this.#words(this.#header + BLOCK_BYTES)[this.#header / 4 + HeaderWord.LastUsed] = monotonicSeconds();
  }

  /** Code frames with the slots they hold, from the one with slot `from` to the one with slot `until` - 1. */
  *codeFrames(from: number, until: number): Generator<CodeFrame> {
    for (let i = Math.floor(from / this.#rowsPerFrame); i * this.#rowsPerFrame < until; i++) {
      const firstSlot = i * this.#rowsPerFrame;
      yield {
        address: this.#frames[i] ?? 0,
        firstSlot,
        rows: Math.min(this.#rowsPerFrame, until - firstSlot),
      };
    }
  }

  #hasNodeCodes(graph: number): boolean {
    return this.#words(graph + GRAPH_BYTES)[(graph + GRAPH_NODE_CODE_BITS) / 4] !== 0;
  }

  /** Slots in the graph's range that it refused: they must be scored one by one. */
  unplacedSlots({ unplaced, slots }: GraphPart): number[] {
    const count = this.#words(unplaced + BLOCK_BYTES)[unplaced / 4] ?? 0;
    if (count === 0) return [];
    const words = this.#words(unplaced + 4 * (1 + count));
    return [...words.subarray(unplaced / 4 + 1, unplaced / 4 + 1 + count)].filter((slot) => slot < slots);
  }

  /** The rows of these slots. */
  rowsOf(slots: readonly number[]): number[] {
    return this.#slotWords(slots, SlotWord.Row);
  }

  /** The ids of these slots' records; null for those too long to be kept in memory. */
  idsOf(slots: readonly number[]): readonly (string | null)[] {
    return readIds(this.#arena, this.#idBlocks, this.#slotWords(slots, SlotWord.IdOffset));
  }

  /** Where the rows and ids of slots lie. */
  get idTables(): { readonly slotBlocks: readonly number[]; readonly idBlocks: readonly number[] } {
    return { slotBlocks: this.#slotBlocks, idBlocks: this.#idBlocks };
  }

  /** Bytes of tables of all that a search of texts refers to. */
  get textTableBytes(): number {
    return this.texts.tableBytes + 4 * (this.#slotBlocks.length + this.#idBlocks.length);
  }

  #slotWords(slots: readonly number[], word: number): number[] {
    const blocks = this.#slotBlocks;
    const words = this.#words(this.#slotsEnd);
    const found: number[] = [];
    for (const slot of slots) {
      const block = (blocks[Math.floor(slot / SLOTS_PER_BLOCK)] ?? 0) / 4;
      found.push(words[block + (slot % SLOTS_PER_BLOCK) * SLOT_WORDS + word] ?? 0);
    }
    return found;
  }

  #noteEnds({ slotBlocks }: Pick<StructureGrowth, 'slotBlocks'>): void {
    for (const block of slotBlocks) this.#slotsEnd = Math.max(this.#slotsEnd, block + BLOCK_BYTES);
  }

  #knownSlots(): number {
    const codes = this.#rowsPerFrame === 0 ? Infinity : this.#frames.length * this.#rowsPerFrame;
    return Math.min(
      codes,
      this.#liveBlocks.length * LIVE_SLOTS_PER_BLOCK,
      this.#slotBlocks.length * SLOTS_PER_BLOCK,
    );
  }

  #copyLive(into: Uint32Array, words: number): void {
    const wordsPerBlock = LIVE_SLOTS_PER_BLOCK / 32;
    for (let first = 0, i = 0; first < words; first += wordsPerBlock, i++) {
      const block = this.#liveBlocks[i] ?? 0;
      const count = Math.min(wordsPerBlock, words - first);
      into.set(this.#words(block + BLOCK_BYTES).subarray(block / 4, block / 4 + count), first);
    }
  }

  #words(endByte: number): Uint32Array<SharedArrayBuffer> {
    return this.#arena.words(endByte);
  }
}
