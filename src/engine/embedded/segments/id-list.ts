// The ids of a segment's records, one after the other in blocks that readers see: a byte of length, then as many ASCII
// characters. No id spans two blocks.
import { BLOCK_BYTES } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';
import { PieceList } from '../memory/piece-list.ts';

/**
 * Longer ids are read from the records. With ids of this length, a record of 768 dimensions still stays within its
 * memory limit (docs/decisions/012-shared-memory.md).
 */
export const ID_BYTES_MAX = 64;
/** Offset of an id that is not in the list. */
export const NO_ID = 2 ** 32 - 1;

/** Ids decoded in one call. */
const IDS_A_BATCH = 64;
/** Buffer for a batch of ids of any length that fits in a byte. */
const batchBytes = Buffer.allocUnsafeSlow(IDS_A_BATCH * 256);

export class IdList {
  readonly blocks = new PieceList();
  readonly #arena: Arena;
  #end = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Offset of the next id, if it fits in the block. */
  get end(): number {
    return this.#end;
  }

  /** Continues a restored list, whose blocks have been added. */
  continueAt(end: number): void {
    this.#end = end;
  }

  /**
   * Adds an id; `newBlock` allocates blocks.
   * @returns its offset, for `readIds`; NO_ID when it is too long for the list. @throws ArenaFull
   */
  append(id: string, newBlock: () => number): number {
    if (id.length > ID_BYTES_MAX) return NO_ID;
    const bytes = 1 + id.length;
    const free = this.blocks.addresses.length * BLOCK_BYTES - this.#end;
    if (free < bytes) {
      this.blocks.push(newBlock());
      this.#end += free;
    }
    const offset = this.#end;
    const address = this.blocks.last + (offset % BLOCK_BYTES);
    const memory = this.#arena.bytes(address + bytes);
    memory[address] = id.length;
    memory.write(id, address + 1, 'latin1');
    this.#end += bytes;
    return offset;
  }
}

/**
 * Reads the ids at offsets that `append` returned; null for NO_ID and for offsets beyond these blocks. A batch is decoded
 * in one call and split: a call for each id takes three times as long (docs/decisions/010-query-overhead.md).
 */
export function readIds(
  arena: Arena,
  blocks: readonly number[],
  offsets: readonly number[],
): readonly (string | null)[] {
  const ids: (string | null)[] = [];
  if (offsets.length <= IDS_A_BATCH) readBatch({ arena, blocks, offsets }, ids);
  else
    for (let first = 0; first < offsets.length; first += IDS_A_BATCH)
      readBatch({ arena, blocks, offsets: offsets.slice(first, first + IDS_A_BATCH) }, ids);
  return ids;
}

interface Batch {
  readonly arena: Arena;
  readonly blocks: readonly number[];
  readonly offsets: readonly number[];
}

function readBatch({ arena, blocks, offsets }: Batch, ids: (string | null)[]): void {
  let last = 0;
  const addresses = offsets.map((offset) => {
    const address = addressOf(blocks, offset);
    last = Math.max(last, address);
    return address;
  });
  const memory = arena.bytes(last + BLOCK_BYTES);
  // All lengths first: the memory accesses overlap.
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

/** 0 for an offset beyond the blocks. */
function addressOf(blocks: readonly number[], offset: number): number {
  const block = blocks[Math.floor(offset / BLOCK_BYTES)];
  return block === undefined ? 0 : block + (offset % BLOCK_BYTES);
}
