// Writes the heads of posting lists. A head has the directory of its list's sealed blocks, and the tail, in which postings
// lie until they fill a block. Readers may see a head: only its tail grows in place; whatever else changes makes a new one.
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
import { BlockEncoder, writeSummary } from './block-encoder.ts';
import type { FieldLengths } from './field-lengths.ts';
import { HeadMemory, PIECE_BYTES } from './head-memory.ts';
import type { TextMemory } from './layout.ts';
import { encoded, encodePositions, encodePosting, type Posting, SHORT_MAX } from './posting.ts';
import type { StreamWriter } from './stream-writer.ts';
import { VarintCursor } from './varint.ts';

/** A tail of more is sealed, however few its postings. */
export const TAIL_BYTES_MAX = 2_048;

/** A head as it lies in memory. */
export interface Head {
  readonly address: number;
  readonly position: number;
  readonly size: number;
  readonly blocks: number;
}

/** A posting of a slot, and the lengths of the field in the slots. */
export interface AddedPosting {
  readonly posting: Posting;
  readonly lengths: FieldLengths;
}

/** Shared, because the writers of a thread encode one posting at a time. */
const encoder = new BlockEncoder();
const cursor = new VarintCursor();

export class HeadWriter {
  readonly #memory: TextMemory;
  readonly #heads: HeadMemory;
  readonly #blocks: StreamWriter;

  constructor(
    memory: TextMemory,
    { heads, blocks }: { readonly heads: HeadMemory; readonly blocks: StreamWriter },
  ) {
    this.#memory = memory;
    this.#heads = heads;
    this.#blocks = blocks;
  }

  /** The head at a position. */
  at(position: number): Head {
    const address = this.#heads.addressOf(position);
    const word = this.#memory.words(address + 4)[(address + TEXT_HEAD_BLOCKS) / 4] ?? 0;
    return { address, position, size: word >>> TEXT_BLOCKS_BITS, blocks: word & TEXT_BLOCKS_MASK };
  }

  /** A head without blocks and postings. @throws when memory is full */
  create(): Head {
    return this.#newHead(0, TEXT_HEAD_BYTES + 8);
  }

  /** Appends a posting to the tail of a head where there is space for it. @returns whether there was */
  addInPlace(position: number, slot: number, posting: Posting): boolean {
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

  /** Encodes a posting for `append`. @returns its bytes in a tail; more than TAIL_BYTES_MAX need a block of their own */
  encode(head: Head, slot: number, posting: Posting): number {
    encodePosting(posting, slot - this.#wordOf(head, TEXT_HEAD_LAST));
    return encoded.length;
  }

  /** True when the tail must be sealed before so many bytes are added. */
  isFull(head: Head, bytes: number): boolean {
    return isFull(this.#wordOf(head, TEXT_HEAD_TAIL), bytes);
  }

  /** Appends the encoded posting to the tail. @returns the head, or a larger copy of it. @throws when memory is full */
  append(head: Head, slot: number): Head {
    const tail = this.#wordOf(head, TEXT_HEAD_TAIL);
    const grown = this.#withSpace(head, tail >>> TEXT_TAIL_BYTES_SHIFT, encoded.length);
    this.#appendTo(grown, slot, tail);
    return grown;
  }

  /** Puts the tail of a head in a block. @returns a new head, with an empty tail */
  seal(head: Head, lengths: FieldLengths): Head {
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
  sealAlone(head: Head, slot: number, { posting, lengths }: AddedPosting): Head {
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
