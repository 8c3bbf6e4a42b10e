// The rows of a segment's slots and the offsets of their ids, in blocks that readers see, and a map from live rows back
// to slots.
import { BLOCK_BYTES } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';
import { PieceList } from '../memory/piece-list.ts';
import { RowSlots } from './row-slots.ts';
import { SLOT_WORDS, SLOTS_PER_BLOCK, SlotWord } from './structure.ts';

export class SlotTable {
  readonly blocks = new PieceList();
  readonly #arena: Arena;
  readonly #slots = new RowSlots();
  #lastTaken: { readonly row: number; readonly slot: number } | null = null;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Adds the row of the next slot and the offset of its id; `newBlock` allocates blocks. */
  append(
    slot: number,
    at: { readonly row: number; readonly idOffset: number },
    newBlock: () => number,
  ): void {
    if (slot % SLOTS_PER_BLOCK === 0) this.blocks.push(newBlock());
    const block = this.blocks.last;
    const words = this.#arena.words(block + BLOCK_BYTES);
    const first = block / 4 + (slot % SLOTS_PER_BLOCK) * SLOT_WORDS;
    words[first + SlotWord.Row] = at.row;
    words[first + SlotWord.IdOffset] = at.idOffset;
    this.#slots.set(at.row, slot);
    this.#lastTaken = null;
  }

  /** The row of a slot. */
  rowOf(slot: number): number {
    const block = this.blocks.addresses[Math.floor(slot / SLOTS_PER_BLOCK)] ?? 0;
    const words = this.#arena.words(block + BLOCK_BYTES);
    return words[block / 4 + (slot % SLOTS_PER_BLOCK) * SLOT_WORDS + SlotWord.Row] ?? 0;
  }

  /** Removes the row from the map. @returns its slot; undefined when it has none */
  take(row: number): number | undefined {
    const slot = this.#slots.get(row);
    if (slot === undefined) return undefined;
    this.#slots.delete(row);
    this.#lastTaken = { row, slot };
    return slot;
  }

  /** The row that lost its slot last, if no slot was added since: the slot still has its codes. */
  get lastTaken(): { readonly row: number; readonly slot: number } | null {
    return this.#lastTaken;
  }

  /** Rebuilds the map of live rows from the blocks. */
  index(slotCount: number, isLive: (slot: number) => boolean): void {
    // Block by block: a function that is called often is compiled, a long loop that runs once is not.
    for (let first = 0; first < slotCount; first += SLOTS_PER_BLOCK)
      this.#indexBlock({ first, until: Math.min(slotCount, first + SLOTS_PER_BLOCK) }, isLive);
  }

  #indexBlock(
    { first, until }: { readonly first: number; readonly until: number },
    isLive: (slot: number) => boolean,
  ): void {
    const block = this.blocks.addresses[first / SLOTS_PER_BLOCK] ?? 0;
    const words = this.#arena.words(block + BLOCK_BYTES);
    for (let slot = first, at = block / 4; slot < until; slot++, at += SLOT_WORDS) {
      if (isLive(slot)) this.#slots.set(words[at + SlotWord.Row] ?? 0, slot);
    }
  }
}
