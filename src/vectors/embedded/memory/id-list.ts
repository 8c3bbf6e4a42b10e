// The ids of a segment's records, one after the other in blocks that readers see: a byte of length, then as many ASCII
// characters. None lies in two blocks.
import { BLOCK_BYTES } from './allocator.ts';
import type { Arena } from './arena.ts';
import { PieceList } from './piece-list.ts';

/**
 * Longer ids are read from the records: with all of this length, a record of 768 dimensions still takes less memory than
 * it may (docs/decisions/044).
 */
export const ID_BYTES_MAX = 64;
/** In the place of an id that is not here. */
export const NO_ID = 2 ** 32 - 1;

export class IdList {
  readonly blocks = new PieceList();
  readonly #arena: Arena;
  #end = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Where the next id goes, if it has room before the end of its block. */
  get end(): number {
    return this.#end;
  }

  /** Takes up a list that has been there before, whose blocks have been added. */
  continueAt(end: number): void {
    this.#end = end;
  }

  /**
   * Adds an id; `newBlock` answers blocks.
   * @returns its place, for `readId`; NO_ID when it is too long to be held here. @throws ArenaFull
   */
  append(id: string, newBlock: () => number): number {
    if (id.length > ID_BYTES_MAX) return NO_ID;
    const bytes = 1 + id.length;
    const room = this.blocks.addresses.length * BLOCK_BYTES - this.#end;
    if (room < bytes) {
      this.blocks.push(newBlock());
      this.#end += room;
    }
    const place = this.#end;
    const address = this.blocks.last + (place % BLOCK_BYTES);
    const memory = this.#arena.bytes(address + bytes);
    memory[address] = id.length;
    memory.write(id, address + 1, 'latin1');
    this.#end += bytes;
    return place;
  }
}

/** The id at a place that `append` answered; null when it is not held, or lies in none of these blocks. */
export function readId(arena: Arena, blocks: readonly number[], place: number): string | null {
  const block = blocks[Math.floor(place / BLOCK_BYTES)];
  if (block === undefined) return null;
  const memory = arena.bytes(block + BLOCK_BYTES);
  const first = block + (place % BLOCK_BYTES) + 1;
  return memory.toString('latin1', first, first + (memory[first - 1] ?? 0));
}
