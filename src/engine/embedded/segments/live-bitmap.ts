// The writer's bitmap of live slots, in blocks.
import { BLOCK_BYTES } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';
import { PieceList } from '../memory/piece-list.ts';
import { LIVE_SLOTS_PER_BLOCK } from './structure.ts';

const BLOCK_WORDS = BLOCK_BYTES / 4;

export class LiveBitmap {
  readonly blocks = new PieceList();
  readonly #arena: Arena;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Extends the bitmap to a slot; `newBlock` allocates zeroed blocks. */
  reach(slot: number, newBlock: () => number): void {
    if (Math.floor(slot / LIVE_SLOTS_PER_BLOCK) >= this.blocks.addresses.length) this.blocks.push(newBlock());
  }

  has(slot: number): boolean {
    return ((this.#words(slot)[this.#wordOf(slot)] ?? 0) >>> (slot & 31)) % 2 === 1;
  }

  set(slot: number, live: boolean): void {
    const words = this.#words(slot);
    const word = this.#wordOf(slot);
    const bit = 1 << (slot & 31);
    words[word] = live ? (words[word] ?? 0) | bit : (words[word] ?? 0) & ~bit;
  }

  /** The live slots from `from` up to, but not including, `until`. */
  slots(from: number, until: number): Uint32Array {
    const slots = new Uint32Array(until - from);
    let count = 0;
    for (let slot = from; slot < until; slot++) if (this.has(slot)) slots[count++] = slot;
    return slots.subarray(0, count);
  }

  /** Copies the words of the slots below `slotLimit` into `into`. */
  copy(into: Uint32Array, slotLimit: number): void {
    const words = Math.ceil(slotLimit / 32);
    this.blocks.addresses.forEach((block, i) => {
      const first = i * BLOCK_WORDS;
      const count = Math.min(BLOCK_WORDS, words - first);
      const source = this.#arena.words(block + BLOCK_BYTES);
      if (count > 0) into.set(source.subarray(block / 4, block / 4 + count), first);
    });
  }

  /** Copies the bitmap of the slots below `slotLimit` to `address` in the arena. */
  copyToArena(address: number, slotLimit: number): void {
    const words = Math.ceil(slotLimit / 32);
    const into = this.#arena.words(address + words * 4).subarray(address / 4, address / 4 + words);
    this.copy(into, slotLimit);
  }

  /** Loads a bitmap as `copy` makes it; the blocks must be there. */
  fill(from: Uint32Array): void {
    this.blocks.addresses.forEach((block, i) => {
      const words = from.subarray(i * BLOCK_WORDS, (i + 1) * BLOCK_WORDS);
      this.#arena.words(block + BLOCK_BYTES).set(words, block / 4);
    });
  }

  #words(slot: number): Uint32Array {
    return this.#arena.words(this.#blockOf(slot) + BLOCK_BYTES);
  }

  #wordOf(slot: number): number {
    return this.#blockOf(slot) / 4 + ((slot % LIVE_SLOTS_PER_BLOCK) >>> 5);
  }

  #blockOf(slot: number): number {
    return this.blocks.addresses[Math.floor(slot / LIVE_SLOTS_PER_BLOCK)] ?? 0;
  }
}
