// Counts the live slots in posting lists: a pass over all of them, for statistics that are not known otherwise.
import {
  TEXT_BLOCKS_MASK,
  TEXT_ENTRY_BLOCK,
  TEXT_ENTRY_LAST,
  TEXT_ENTRY_SHIFT,
  TEXT_EXTENT_SHIFT,
  TEXT_HEAD_BLOCKS,
  TEXT_HEAD_BLOCKS_LAST,
  TEXT_HEAD_EXTENTS,
  TEXT_HEAD_TAIL,
  TEXT_TAIL_COUNT_MASK,
} from '../kernels/text-lists-constants.ts';
import { BlockDecoder } from './block-decoder.ts';
import { tailStart } from './head-writer.ts';
import { addressAt, type SharedBytes } from './layout.ts';
import { VarintCursor } from './varint.ts';

const decoder = new BlockDecoder();
const cursor = new VarintCursor();

export class ListCounter {
  readonly #memory: SharedBytes;
  readonly #frames: { readonly heads: readonly number[]; readonly blocks: readonly number[] };
  readonly #live: Uint32Array;

  /** @param live bitmap of slots; those beyond it are not live */
  constructor(
    memory: SharedBytes,
    frames: { readonly heads: readonly number[]; readonly blocks: readonly number[] },
    live: Uint32Array,
  ) {
    this.#memory = memory;
    this.#frames = frames;
    this.#live = live;
  }

  /** How many live slots the list of a head has. @param head its address; 0 without a list */
  count(head: number): number {
    if (head === 0) return 0;
    // The views reach to the end of memory.
    const words = this.#memory.words(head + TEXT_HEAD_EXTENTS);
    const blocks = (words[(head + TEXT_HEAD_BLOCKS) / 4] ?? 0) & TEXT_BLOCKS_MASK;
    let holders = 0;
    let before = 0;
    for (let block = 0; block < blocks; block++) {
      const extent = words[(head + TEXT_HEAD_EXTENTS) / 4 + (block >>> TEXT_EXTENT_SHIFT)] ?? 0;
      const inExtent = block & ((1 << TEXT_EXTENT_SHIFT) - 1);
      const entry = addressAt(this.#frames.heads, extent) + (inExtent << TEXT_ENTRY_SHIFT);
      const data = addressAt(this.#frames.blocks, words[(entry + TEXT_ENTRY_BLOCK) / 4] ?? 0);
      holders += this.#countBlock(data, before);
      before = words[(entry + TEXT_ENTRY_LAST) / 4] ?? 0;
    }
    const postings = (words[(head + TEXT_HEAD_TAIL) / 4] ?? 0) & TEXT_TAIL_COUNT_MASK;
    const last = blocks === 0 ? 0 : (words[(head + TEXT_HEAD_BLOCKS_LAST) / 4] ?? 0);
    return holders + this.#countTail(head + tailStart(blocks), postings, last);
  }

  #countBlock(data: number, before: number): number {
    decoder.open(this.#memory, data, before);
    let holders = 0;
    for (let at = 0; at < decoder.count; at++) holders += this.#isLive(decoder.slots[at] ?? 0);
    return holders;
  }

  #countTail(address: number, postings: number, before: number): number {
    let holders = 0;
    let slot = before;
    cursor.open(this.#memory.bytes(address), address);
    for (let left = postings; left > 0; left--) {
      const first = cursor.next();
      slot += first >>> 1;
      cursor.skip((first & 1) === 0 ? 1 : cursor.next());
      holders += this.#isLive(slot);
    }
    return holders;
  }

  #isLive(slot: number): number {
    return ((this.#live[slot >>> 5] ?? 0) >>> (slot & 31)) & 1;
  }
}
