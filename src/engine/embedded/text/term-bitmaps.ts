// Bitmaps of frequent terms, in pages of some slots each, so that searches see what has a term without a look at its list.
// A page is made when the list has all of its slots in sealed blocks, and never changes.
import {
  TEXT_ENTRY_BYTES,
  TEXT_ENTRY_SHIFT,
  TEXT_EXTENT_SHIFT,
  TEXT_HEAD_EXTENTS,
  TEXT_PAGE_SHIFT,
} from '../kernels/text-lists-constants.ts';
import { ArenaFull } from '../memory/allocator.ts';
import { BlockDecoder } from './block-decoder.ts';
import { addressAt, BLOCK_BYTES, type TextMemory } from './layout.ts';
import type { TextDelta } from './structure.ts';

/** Blocks that end in a page which has a bitmap, at least: about an eighth of its slots. */
const PAGE_BLOCKS_MIN = 16;
const PAGE_SLOTS_MASK = (1 << TEXT_PAGE_SHIFT) - 1;

/** Addresses of the frames of heads, and of blocks, of posting lists. */
interface ListFrames {
  readonly heads: readonly number[];
  readonly blocks: readonly number[];
}

/** Shared, because the writers of a thread decode one block at a time. */
const decoder = new BlockDecoder();

export class TermBitmaps {
  readonly #memory: TextMemory;
  readonly #frames: ListFrames;
  /** Addresses of pages, 0 where there is none, by term. */
  readonly #pages = new Map<number, number[]>();
  #new: TextDelta[] = [];

  constructor(memory: TextMemory, frames: ListFrames) {
    this.#memory = memory;
    this.#frames = frames;
  }

  /**
   * Makes the page that ends before the last slot of a block of a term's list, if the block before ends in it, and where
   * there is memory for it.
   * @param head address of the list's head. @param block its number in the list
   */
  add(term: number, head: number, block: number): void {
    if (block < PAGE_BLOCKS_MIN) return;
    const page = this.#pageAt(head, block - 1);
    if (page === this.#pageAt(head, block) || page !== this.#pageAt(head, block - PAGE_BLOCKS_MIN)) return;
    let first = block - PAGE_BLOCKS_MIN;
    while (first > 0 && this.#pageAt(head, first - 1) === page) first--;
    const address = this.#allocate();
    if (address === 0) return;
    for (let each = first; each <= block; each++) this.#addBlock(address, page, { head, block: each });
    const pages = this.#pages.get(term) ?? [];
    this.#pages.set(term, pages);
    while (pages.length < page) pages.push(0);
    pages.push(address);
    this.#new.push({ kind: 'bitmap', term, first: page, addresses: [address] });
  }

  /** The pages since the last call. */
  takeDeltas(): TextDelta[] {
    const deltas = this.#new;
    this.#new = [];
    return deltas;
  }

  snapshot(): TextDelta[] {
    return Array.from(this.#pages, ([term, addresses]) => ({
      ...{ kind: 'bitmap', term, first: 0 },
      addresses: [...addresses],
    }));
  }

  /** A zeroed page; 0 where memory is full: lists answer without it. */
  #allocate(): number {
    try {
      return this.#memory.block();
    } catch (error) {
      if (error instanceof ArenaFull) return 0;
      throw error;
    }
  }

  /** Adds what a block has of a page. */
  #addBlock(
    address: number,
    page: number,
    { head, block }: { readonly head: number; readonly block: number },
  ): void {
    const words = this.#memory.words(this.#entryOf(head, block) + TEXT_ENTRY_BYTES);
    const entry = this.#entryOf(head, block) / 4;
    const before = block === 0 ? 0 : this.#lastOf(head, block - 1);
    decoder.open(this.#memory, addressAt(this.#frames.blocks, words[entry + 1] ?? 0), before);
    const into = this.#memory.words(address + BLOCK_BYTES);
    for (let at = 0; at < decoder.count; at++) {
      const slot = decoder.slots[at] ?? 0;
      if (slot >>> TEXT_PAGE_SHIFT !== page) continue;
      const inPage = slot & PAGE_SLOTS_MASK;
      const word = address / 4 + 4 * (inPage >>> 6) + ((inPage >>> 5) & 1);
      const bit = 1 << (slot & 31);
      into[word] = (into[word] ?? 0) | bit;
      if (decoder.isRepeated(at)) into[word + 2] = (into[word + 2] ?? 0) | bit;
    }
  }

  #pageAt(head: number, block: number): number {
    return this.#lastOf(head, block) >>> TEXT_PAGE_SHIFT;
  }

  /** The last slot of a block. */
  #lastOf(head: number, block: number): number {
    const entry = this.#entryOf(head, block);
    return this.#memory.words(entry + 4)[entry / 4] ?? 0;
  }

  #entryOf(head: number, block: number): number {
    const at = (head + TEXT_HEAD_EXTENTS) / 4 + (block >>> TEXT_EXTENT_SHIFT);
    const extent = this.#memory.words((at + 1) * 4)[at] ?? 0;
    return (
      addressAt(this.#frames.heads, extent) + ((block & ((1 << TEXT_EXTENT_SHIFT) - 1)) << TEXT_ENTRY_SHIFT)
    );
  }
}
