// The ids of a segment's records, one after the other in blocks that readers see: a byte of length, then as many ASCII
// characters. None lies in two blocks.
import { BLOCK_BYTES } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';
import { PieceList } from '../memory/piece-list.ts';

/**
 * Longer ids are read from the records: with all of this length, a record of 768 dimensions still takes less memory than
 * it may (docs/decisions/012-shared-memory.md).
 */
export const ID_BYTES_MAX = 64;
/** In the place of an id that is not here. */
export const NO_ID = 2 ** 32 - 1;

/** Ids that become text in one call. */
const IDS_A_BATCH = 64;
/** Room for them, however long a byte of length can say. */
const batchBytes = Buffer.allocUnsafeSlow(IDS_A_BATCH * 256);

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

/**
 * The ids at places that `append` answered; null for one that is not held, or lies in none of these blocks. Many become text
 * in one call, and are cut from it: a call for each takes three times as long (docs/decisions/010-query-overhead.md).
 */
export function readIds(
  arena: Arena,
  blocks: readonly number[],
  places: readonly number[],
): readonly (string | null)[] {
  const ids: (string | null)[] = [];
  for (let first = 0; first < places.length; first += IDS_A_BATCH)
    readBatch({ arena, blocks, places: places.slice(first, first + IDS_A_BATCH) }, ids);
  return ids;
}

interface Batch {
  readonly arena: Arena;
  readonly blocks: readonly number[];
  readonly places: readonly number[];
}

function readBatch({ arena, blocks, places }: Batch, ids: (string | null)[]): void {
  const addresses = places.map((place) => addressOf(blocks, place));
  const memory = arena.bytes(Math.max(...addresses) + BLOCK_BYTES);
  // All lengths first: memory is waited for once, and not once for each.
  const lengths = addresses.map((address) => (address === 0 ? 0 : (memory[address] ?? 0)));
  let end = 0;
  for (let i = 0; i < lengths.length; i++) {
    const first = (addresses[i] ?? 0) + 1;
    const length = lengths[i] ?? 0;
    for (let at = first; at < first + length; at++) batchBytes[end++] = memory[at] ?? 0;
  }
  const text = batchBytes.toString('latin1', 0, end);
  let from = 0;
  for (const length of lengths) {
    // No id is empty.
    ids.push(length === 0 ? null : text.slice(from, from + length));
    from += length;
  }
}

/** 0 for a place in none of the blocks. */
function addressOf(blocks: readonly number[], place: number): number {
  const block = blocks[Math.floor(place / BLOCK_BYTES)];
  return block === undefined ? 0 : block + (place % BLOCK_BYTES);
}
