// The single writer of a segment's posting lists. A list has a tail, to which postings are appended at once, in a head that is
// replaced as it grows, and sealed blocks, into which full tails go (as in Busch and others, "Earlybird: real-time search at
// Twitter", 2012). Nothing that readers may see ever changes, but that a tail gets longer: they find new heads by `publish`.
import {
  TEXT_BLOCK_POSTINGS,
  TEXT_BLOCKS_BITS,
  TEXT_BLOCKS_MASK,
  TEXT_ENTRY_BYTES,
  TEXT_ENTRY_SHIFT,
  TEXT_EXTENT_SHIFT,
  TEXT_HEAD_BLOCKS,
  TEXT_HEAD_BLOCKS_LAST,
  TEXT_HEAD_BYTES,
  TEXT_HEAD_EXTENTS,
  TEXT_HEAD_LAST,
  TEXT_HEAD_SUMMARY,
  TEXT_HEAD_TAIL,
  TEXT_TAIL_BYTES_SHIFT,
  TEXT_TAIL_COUNT_MASK,
} from '../kernels/text-lists-constants.ts';
import { PieceList } from '../memory/piece-list.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { BlockEncoder, writeSummary } from './block-encoder.ts';
import { listDelta } from './dictionary-writer.ts';
import type { FieldLengths } from './field-lengths.ts';
import { HeadMemory, PIECE_BYTES } from './head-memory.ts';
import { BLOCK_BYTES, FRAME_BYTES, LISTS_PER_BLOCK, type TextMemory } from './layout.ts';
import { encoded, encodePositions, encodePosting, type Posting, SHORT_MAX } from './posting.ts';
import { framesPart, type Restoring, type SavedLists } from './saved-texts.ts';
import { StreamWriter } from './stream-writer.ts';
import type { TextDelta } from './structure.ts';
import { TermBitmaps } from './term-bitmaps.ts';
import { VarintCursor } from './varint.ts';

/** A tail of more is sealed, however few its postings. */
const TAIL_BYTES_MAX = 2_048;

/** A head as it lies in memory. */
interface Head {
  readonly address: number;
  readonly position: number;
  readonly size: number;
  readonly blocks: number;
}

/** Shared, because the writers of a thread encode one posting at a time. */
const encoder = new BlockEncoder();
const cursor = new VarintCursor();

export class ListWriter {
  readonly #memory: TextMemory;
  readonly #heads: HeadMemory;
  readonly #blocks: StreamWriter;
  /** Blocks of the positions of heads, by number of the term. */
  readonly #lists = new PieceList();
  /** Positions of the heads that are written to, by number of the term; 0 where it is the one that readers find. */
  #current = new Uint32Array(0);
  /** Terms whose head readers cannot find yet. */
  readonly #changed: number[] = [];
  readonly #bitmaps: TermBitmaps;
  #announced = { lists: 0, heads: 0, blocks: 0 };

  constructor(memory: TextMemory) {
    this.#memory = memory;
    this.#heads = new HeadMemory(memory);
    this.#blocks = new StreamWriter(memory);
    this.#bitmaps = new TermBitmaps(memory, this.frames);
  }

  /**
   * Appends a posting to the list of a term; slots ascend. `lengths` has that of the slot. Readers see it after `publish`.
   * @throws when memory is full
   */
  add(
    term: number,
    slot: number,
    { posting, lengths }: { readonly posting: Posting; readonly lengths: FieldLengths },
  ): void {
    const position = this.#positionOf(term);
    if (position !== 0 && this.#addInPlace(position, slot, posting)) return;
    let head =
      position === 0
        ? this.#replace(term, this.#newHead(0, TEXT_HEAD_BYTES + 8), null)
        : this.#headAt(position);
    let tail = this.#wordOf(head, TEXT_HEAD_TAIL);
    encodePosting(posting, slot - this.#wordOf(head, TEXT_HEAD_LAST));
    if (isFull(tail, encoded.length)) {
      head = this.#replace(term, this.#seal(head, lengths), head);
      this.#bitmaps.add(term, head.address, head.blocks - 1);
      tail = 0;
    }
    if (encoded.length > TAIL_BYTES_MAX) {
      head = this.#replace(term, this.#sealAlone(head, slot, { posting, lengths }), head);
      this.#bitmaps.add(term, head.address, head.blocks - 1);
      return;
    }
    const grown = this.#withSpace(head, tail >>> TEXT_TAIL_BYTES_SHIFT, encoded.length);
    this.#appendTo(grown, slot, tail);
    if (grown !== head) this.#replace(term, grown, head);
  }

  /** Appends a posting to the tail of a head where there is space for it. @returns whether there was */
  #addInPlace(position: number, slot: number, posting: Posting): boolean {
    const address = this.#heads.addressOf(position);
    const words = this.#memory.words(address + TEXT_HEAD_BYTES);
    const at = address / 4;
    const form = words[at + TEXT_HEAD_BLOCKS / 4] ?? 0;
    const tail = words[at + TEXT_HEAD_TAIL / 4] ?? 0;
    const difference = slot - (words[at + TEXT_HEAD_LAST / 4] ?? 0);
    const { first } = posting;
    const isShort = posting.occurrences === 1 && difference < SHORT_MAX / 2 && first < SHORT_MAX;
    if (!isShort) encodePosting(posting, difference);
    const length = isShort ? 2 : encoded.length;
    const bytes = tail >>> TEXT_TAIL_BYTES_SHIFT;
    const start = tailStart(form & TEXT_BLOCKS_MASK) + bytes;
    if (start + length > (PIECE_BYTES[form >>> TEXT_BLOCKS_BITS] ?? 0) || isFull(tail, length)) return false;
    const memory = this.#memory.bytes(address + start + length);
    if (isShort) {
      memory[address + start] = 2 * difference;
      memory[address + start + 1] = first;
    } else for (let i = 0; i < length; i++) memory[address + start + i] = encoded.bytes[i] ?? 0;
    words[at + TEXT_HEAD_LAST / 4] = slot;
    const count = (tail & TEXT_TAIL_COUNT_MASK) + 1;
    Atomics.store(words, at + TEXT_HEAD_TAIL / 4, ((bytes + length) << TEXT_TAIL_BYTES_SHIFT) | count);
    return true;
  }

  /** Lets readers find all that was added. Call while they take no snapshots, after they were told of the deltas. */
  publish(): void {
    for (const term of this.#changed) {
      const { words, at } = this.#listAt(term);
      const before = words[at] ?? 0;
      Atomics.store(words, at, this.#current[term] ?? 0);
      if (before !== 0) this.#heads.free(before, this.#headAt(before).size);
    }
    this.#changed.length = 0;
    this.#heads.reclaim();
  }

  /** The steps since the last call. */
  takeDeltas(): TextDelta[] {
    const deltas = [...this.#deltasFrom(this.#announced), ...this.#bitmaps.takeDeltas()];
    this.#announced = {
      lists: this.#lists.addresses.length,
      heads: this.#heads.frames.addresses.length,
      blocks: this.#blocks.frames.addresses.length,
    };
    return deltas;
  }

  snapshot(): TextDelta[] {
    return [...this.#deltasFrom({ lists: 0, heads: 0, blocks: 0 }), ...this.#bitmaps.snapshot()];
  }

  /** Address of the head of a term's list, 0 when it has none. */
  headAddress(term: number): number {
    const position = this.#positionOf(term);
    return position === 0 ? 0 : this.#heads.addressOf(position);
  }

  /** Addresses of the frames of heads, and of blocks. */
  get frames(): { readonly heads: readonly number[]; readonly blocks: readonly number[] } {
    return { heads: this.#heads.frames.addresses, blocks: this.#blocks.frames.addresses };
  }

  /** The lists as they are; appends may go on while the parts are read. */
  save(): { readonly saved: SavedLists; readonly parts: readonly Part[] } {
    const heads = this.#heads.save();
    const lists = new Uint8Array(this.#lists.addresses.length * BLOCK_BYTES);
    this.#eachListBlock(lists, (into, block) => into.set(block));
    const saved = { lists: this.#lists.addresses.length, heads: heads.saved, blocks: this.#blocks.save() };
    return { saved, parts: this.#parts(lists, heads.bytes) };
  }

  /** Allocates saved lists in this empty writer. @throws when memory is full */
  restore(saved: SavedLists): Restoring {
    while (this.#lists.addresses.length < saved.lists) this.#lists.push(this.#memory.block());
    const writeHeads = this.#heads.restore(saved.heads);
    this.#blocks.restore(saved.blocks);
    const lists = new Uint8Array(saved.lists * BLOCK_BYTES);
    const heads = new Uint8Array(saved.heads.frames * FRAME_BYTES);
    return {
      parts: this.#parts(lists, heads),
      finish: () => {
        this.#eachListBlock(lists, (from, block) => block.set(from));
        writeHeads(heads);
        this.#restoreBitmaps();
      },
    };
  }

  /** Makes the bitmaps of the lists that were restored. */
  #restoreBitmaps(): void {
    for (let term = 0; term < this.#lists.addresses.length * LISTS_PER_BLOCK; term++) {
      const position = this.#published(term);
      if (position === 0) continue;
      const { address, blocks } = this.#headAt(position);
      for (let block = 0; block < blocks; block++) this.#bitmaps.add(term, address, block);
    }
  }

  #parts(lists: Uint8Array, heads: Uint8Array): readonly Part[] {
    return [
      { name: 'text-lists', bytes: lists, isPacked: true },
      { name: 'text-heads', bytes: heads, isPacked: true },
      framesPart('text-blocks', [...this.#blocks.frames.addresses]),
    ];
  }

  #eachListBlock(bytes: Uint8Array, visitor: (part: Uint8Array, block: Uint8Array) => void): void {
    for (const [i, address] of this.#lists.addresses.entries())
      visitor(
        bytes.subarray(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES),
        this.#memory.bytes(address + BLOCK_BYTES).subarray(address, address + BLOCK_BYTES),
      );
  }

  #deltasFrom(from: {
    readonly lists: number;
    readonly heads: number;
    readonly blocks: number;
  }): TextDelta[] {
    return [
      ...listDelta('lists', this.#lists.addresses, from.lists),
      ...listDelta('heads', this.#heads.frames.addresses, from.heads),
      ...listDelta('blocks', this.#blocks.frames.addresses, from.blocks),
    ];
  }

  /** The position of the head that is written to; 0 where a term has none. */
  #positionOf(term: number): number {
    const current = this.#current[term] ?? 0;
    return current === 0 ? this.#published(term) : current;
  }

  /** The position of the head that readers find; 0 where they find none. */
  #published(term: number): number {
    if (Math.floor(term / LISTS_PER_BLOCK) >= this.#lists.addresses.length) return 0;
    const { words, at } = this.#listAt(term);
    return words[at] ?? 0;
  }

  /** The word that leads readers to a term's head. */
  #listAt(term: number): { readonly words: Uint32Array<SharedArrayBuffer>; readonly at: number } {
    const block = this.#lists.addresses[Math.floor(term / LISTS_PER_BLOCK)] ?? 0;
    return { words: this.#memory.words(block + BLOCK_BYTES), at: block / 4 + (term % LISTS_PER_BLOCK) };
  }

  #headAt(position: number): Head {
    const address = this.#heads.addressOf(position);
    const word = this.#memory.words(address + 4)[(address + TEXT_HEAD_BLOCKS) / 4] ?? 0;
    return { address, position, size: word >>> TEXT_BLOCKS_BITS, blocks: word & TEXT_BLOCKS_MASK };
  }

  /** A head without postings in its tail. */
  #newHead(blocks: number, bytes: number): Head {
    const size = HeadMemory.sizeFor(bytes);
    const position = this.#heads.allocate(size);
    const address = this.#heads.addressOf(position);
    const words = this.#memory.words(address + TEXT_HEAD_BYTES);
    words[(address + TEXT_HEAD_BLOCKS) / 4] = (blocks | (size << TEXT_BLOCKS_BITS)) >>> 0;
    words[(address + TEXT_HEAD_BLOCKS_LAST) / 4] = 0;
    words[(address + TEXT_HEAD_TAIL) / 4] = 0;
    words[(address + TEXT_HEAD_LAST) / 4] = 0;
    return { address, position, size, blocks };
  }

  /** The head, or a larger copy of it, with space for so many bytes more in its tail. */
  #withSpace(head: Head, bytes: number, more: number): Head {
    const start = tailStart(head.blocks);
    if (start + bytes + more <= (PIECE_BYTES[head.size] ?? 0)) return head;
    const copy = this.#newHead(head.blocks, start + bytes + more);
    const memory = this.#memory.bytes(Math.max(copy.address, head.address) + start + bytes);
    memory.copyWithin(copy.address + 4, head.address + 4, head.address + start + bytes);
    return copy;
  }

  /** Writes the encoded posting behind the tail, and then that it is there. */
  #appendTo({ address, blocks }: Head, slot: number, tail: number): void {
    const bytes = tail >>> TEXT_TAIL_BYTES_SHIFT;
    const start = address + tailStart(blocks) + bytes;
    const memory = this.#memory.bytes(start + encoded.length);
    for (let i = 0; i < encoded.length; i++) memory[start + i] = encoded.bytes[i] ?? 0;
    const words = this.#memory.words(address + TEXT_HEAD_BYTES);
    words[(address + TEXT_HEAD_LAST) / 4] = slot;
    const count = (tail & TEXT_TAIL_COUNT_MASK) + 1;
    const grown = ((bytes + encoded.length) << TEXT_TAIL_BYTES_SHIFT) | count;
    Atomics.store(words, (address + TEXT_HEAD_TAIL) / 4, grown);
  }

  /** Puts the tail of a head in a block. @returns a new head, with an empty tail */
  #seal(head: Head, lengths: FieldLengths): Head {
    const tail = this.#wordOf(head, TEXT_HEAD_TAIL);
    let slot = this.#wordOf(head, TEXT_HEAD_BLOCKS_LAST);
    const start = head.address + tailStart(head.blocks);
    const bytes = this.#memory.bytes(start + (tail >>> TEXT_TAIL_BYTES_SHIFT));
    encoder.clear(lengths.average);
    cursor.open(bytes, start);
    for (let left = tail & TEXT_TAIL_COUNT_MASK; left > 0; left--) {
      const first = cursor.next();
      const occurrences = (first & 1) === 0 ? 1 : cursor.next();
      slot += first >>> 1;
      const from = cursor.at;
      cursor.skip(occurrences);
      encoder.add(
        first >>> 1,
        { occurrences, length: lengths.lengthOf(slot) },
        { bytes, from, until: cursor.at },
      );
    }
    return this.#withBlock(head, slot);
  }

  /** Puts a posting that no tail takes in a block of its own; the tail is empty. */
  #sealAlone(
    head: Head,
    slot: number,
    { posting, lengths }: { readonly posting: Posting; readonly lengths: FieldLengths },
  ): Head {
    const last = this.#wordOf(head, TEXT_HEAD_LAST);
    const { occurrences } = posting;
    encodePositions(posting);
    encoder.clear(lengths.average);
    encoder.add(
      slot - last,
      { occurrences, length: lengths.lengthOf(slot) },
      { bytes: encoded.bytes, from: 0, until: encoded.length },
    );
    return this.#withBlock(head, slot);
  }

  /** A copy of a head, with an empty tail and the encoder's block; `last` is the slot of its last posting. */
  #withBlock(head: Head, last: number): Head {
    const { bytes, length } = encoder.finish();
    const block = this.#blocks.append(bytes, length);
    const blocks = head.blocks + 1;
    const start = tailStart(blocks);
    const next = this.#newHead(blocks, start + 8);
    const memory = this.#memory.bytes(Math.max(next.address, head.address) + start);
    if (head.blocks > 0)
      memory.copyWithin(
        next.address + TEXT_HEAD_SUMMARY,
        head.address + TEXT_HEAD_SUMMARY,
        head.address + tailStart(head.blocks),
      );
    writeSummary(memory, next.address + TEXT_HEAD_SUMMARY, encoder.summary, head.blocks > 0);
    const entry = this.#entryFor(next, head.blocks);
    const words = this.#memory.words(Math.max(entry + TEXT_ENTRY_BYTES, next.address + TEXT_HEAD_BYTES));
    words[entry / 4] = last;
    words[entry / 4 + 1] = block;
    writeSummary(this.#memory.bytes(entry + TEXT_ENTRY_BYTES), entry + 8, encoder.summary, false);
    words[(next.address + TEXT_HEAD_BLOCKS_LAST) / 4] = last;
    words[(next.address + TEXT_HEAD_LAST) / 4] = last;
    return next;
  }

  /** Address of a new entry, number `number`, in the directory of a head, whose last extent grows with it. */
  #entryFor({ address }: Head, number: number): number {
    const inExtent = number & ((1 << TEXT_EXTENT_SHIFT) - 1);
    const at = (address + TEXT_HEAD_EXTENTS) / 4 + (number >>> TEXT_EXTENT_SHIFT);
    const words = this.#memory.words((at + 1) * 4);
    const size = HeadMemory.sizeFor((inExtent + 1) << TEXT_ENTRY_SHIFT);
    const before = inExtent === 0 ? null : HeadMemory.sizeFor(inExtent << TEXT_ENTRY_SHIFT);
    if (before !== size) {
      const position = this.#heads.allocate(size);
      if (before !== null) {
        const old = words[at] ?? 0;
        const [from, to] = [this.#heads.addressOf(old), this.#heads.addressOf(position)];
        const bytes = inExtent << TEXT_ENTRY_SHIFT;
        this.#memory.bytes(Math.max(from, to) + bytes).copyWithin(to, from, from + bytes);
        this.#heads.free(old, before);
      }
      words[at] = position;
    }
    return this.#heads.addressOf(words[at] ?? 0) + (inExtent << TEXT_ENTRY_SHIFT);
  }

  #wordOf({ address }: Head, at: number): number {
    return this.#memory.words(address + TEXT_HEAD_BYTES)[(address + at) / 4] ?? 0;
  }

  /** Makes a head that of a term, in place of another. @returns it */
  #replace(term: number, head: Head, before: Head | null): Head {
    while (this.#lists.addresses.length <= Math.floor(term / LISTS_PER_BLOCK))
      this.#lists.push(this.#memory.block());
    if (this.#current.length <= term) this.#growCurrent(term);
    if ((before?.position ?? 0) === this.#published(term)) this.#changed.push(term);
    else if (before !== null) this.#heads.freeUnseen(before.position, before.size);
    this.#current[term] = head.position;
    return head;
  }

  #growCurrent(term: number): void {
    const grown = new Uint32Array(Math.max(LISTS_PER_BLOCK, 2 * term));
    grown.set(this.#current);
    this.#current = grown;
  }
}

/** True when a tail must be sealed before so many bytes are added. */
function isFull(tail: number, more: number): boolean {
  const count = tail & TEXT_TAIL_COUNT_MASK;
  return (
    count === TEXT_BLOCK_POSTINGS || (count > 0 && (tail >>> TEXT_TAIL_BYTES_SHIFT) + more > TAIL_BYTES_MAX)
  );
}

/** Bytes of a head before its tail. */
export function tailStart(blocks: number): number {
  if (blocks === 0) return TEXT_HEAD_BYTES;
  return TEXT_HEAD_EXTENTS + 4 * Math.ceil(blocks / (1 << TEXT_EXTENT_SHIFT));
}
