// The layout of columns in shared memory: 4,096-byte blocks of entries, and views of a buffer that may grow.

/** Allocates blocks, which may hold old bytes. */
export interface BlockSource {
  /**
   * Allocates BLOCK_BYTES of the shared buffer.
   * @throws when memory is full
   * @returns the byte address, a multiple of 8
   */
  allocate(): number;
}

/** Returns the shared buffer, at least `bytesMin` long; growth replaces it by a longer one over the same bytes. */
export type SharedBuffer = (bytesMin: number) => SharedArrayBuffer;

export const BLOCK_BYTES = 4_096;
export const BLOCK_WORDS = BLOCK_BYTES / 4;
/** Words that hold a bit for each entry of a block. */
export const ENTRY_BITS_WORDS = Math.ceil(BLOCK_BYTES / 12 / 32);

/** How a block is divided: all cells (8 bytes each), then all slots (4), then 4-byte extras. */
export interface BlockLayout {
  readonly entries: number;
  /** Uint32 index of the first slot within the block. */
  readonly slotsAt: number;
  /** Uint32 index of the extras: hashes of field names, or the one word that marks skipped or repeated slots. */
  readonly extrasAt: number;
}

/** A column of one field: 341 entries of 12 bytes, and one word that is 0 while slots are consecutive. */
export const OWN_LAYOUT: BlockLayout = { entries: 341, slotsAt: 682, extrasAt: 1_023 };

/** The column of all other fields: 256 entries of 16 bytes, with the hash of the field's name. */
export const COMMON_LAYOUT: BlockLayout = { entries: 256, slotsAt: 512, extrasAt: 768 };

/** Number of the common column; fields with a column of their own count from 1. */
export const COMMON_COLUMN = 0;

/** One length (uint32, in entries) per column fits in the single block of lengths. */
const COLUMNS_ALLOWED = BLOCK_WORDS;

/** Number of the column of all moments that texts tell: cells are microseconds since 1970, in the common layout. */
export const MOMENTS_COLUMN = COLUMNS_ALLOWED - 1;

/** Number of the column of all places that texts tell: cells are latitude and longitude, in the common layout. */
export const POSITIONS_COLUMN = COLUMNS_ALLOWED - 2;

/** Columns of fields have lower numbers. */
export const COLUMNS_LIMIT = POSITIONS_COLUMN;

export function layoutOf(column: number): BlockLayout {
  return column === COMMON_COLUMN || column >= COLUMNS_LIMIT ? COMMON_LAYOUT : OWN_LAYOUT;
}

/** Typed arrays over the shared buffer, replaced with it. Indices count elements, not bytes. */
export class SharedViews {
  numbers: Float64Array = new Float64Array(0);
  /** The same cells as bits, because NaN patterns compare only as integers. */
  cells: BigInt64Array = new BigInt64Array(0);
  words: Uint32Array = new Uint32Array(0);
  readonly #bufferOf: SharedBuffer;
  #bytes = 0;

  constructor(bufferOf: SharedBuffer) {
    this.#bufferOf = bufferOf;
  }

  /** Makes sure that the views cover the block at `address`; call it before each use of a block. */
  reach(address: number): void {
    const bytesMin = address + BLOCK_BYTES;
    if (bytesMin <= this.#bytes) return;
    const buffer = this.#bufferOf(bytesMin);
    if (bytesMin > buffer.byteLength) throw new Error(`block ${address} is outside the memory`);
    this.numbers = new Float64Array(buffer);
    this.cells = new BigInt64Array(buffer);
    this.words = new Uint32Array(buffer);
    this.#bytes = buffer.byteLength;
  }
}
