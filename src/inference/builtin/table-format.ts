// The table file: a header, a hash table of words, and rows of word vectors. Little-endian, 4-byte aligned.
import { murmur } from './murmur.ts';

/** 'PNYW' */
const MAGIC = 0x57594e50;
const VERSION = 1;
const HEADER_WORDS = 8;
const HEADER_BYTES = HEADER_WORDS * 4;
/** Seeds the keys of stems, so that the word `us` differs from `us`, the stem of `use`. */
const STEM_SEED = 1;

/** Numbers in each word vector. */
export const VECTOR_LENGTH = 256;
/** The row number of a word without a vector. */
export const NO_ROW = 65_535;

export interface TableShape {
  /** A power of two, larger than the number of entries. */
  readonly slots: number;
  readonly rows: number;
}

/** Contents of the file. Words are found by the hash of their text; the text itself is not stored. */
export interface Tables extends TableShape {
  /** 0 marks an empty slot. */
  readonly keys: Uint32Array;
  /** Share of passages that contain the word, 0..1. */
  readonly shares: Float32Array;
  /** Row of the word's vector, or NO_ROW. */
  readonly rowNumbers: Uint16Array;
  /** Scale of each row, which makes its length the word's weight in a text. */
  readonly scales: Float32Array;
  readonly vectors: Int8Array;
}

export interface TableFile {
  readonly tables: Tables;
  /** Everything after the header. */
  readonly body: Uint8Array;
  /** CRC-32 of the body, as stored in the header. */
  readonly checksum: number;
}

/** Makes an empty file of this shape with its header, and views of it. */
export function emptyTables(shape: TableShape): { readonly bytes: ArrayBuffer; readonly tables: Tables } {
  const bytes = new ArrayBuffer(HEADER_BYTES + bodyBytes(shape));
  new Uint32Array(bytes, 0, HEADER_WORDS).set([MAGIC, VERSION, shape.slots, shape.rows, VECTOR_LENGTH]);
  return { bytes, tables: views(bytes, shape) };
}

/** Writes the checksum into the header of either file. */
export function setChecksum(bytes: ArrayBuffer, checksum: number): void {
  new Uint32Array(bytes, 0, HEADER_WORDS)[5] = checksum;
}

/** Parses a table file. The caller verifies the checksum. @throws Error when the bytes are not such a file */
export function tablesFrom(bytes: ArrayBuffer): TableFile {
  if (bytes.byteLength < HEADER_BYTES) throw new Error('the table file is truncated');
  const [magic, version, slots = 0, rows = 0, length, checksum = 0] = new Uint32Array(bytes, 0, HEADER_WORDS);
  if (magic !== MAGIC || version !== VERSION || length !== VECTOR_LENGTH)
    throw new Error('the table file has an unknown format');
  if (bytes.byteLength !== HEADER_BYTES + bodyBytes({ slots, rows }))
    throw new Error('the table file is truncated');
  return { tables: views(bytes, { slots, rows }), body: new Uint8Array(bytes, HEADER_BYTES), checksum };
}

export function wordKey(word: string): number {
  return murmur(word) || 1;
}

export function stemKey(stem: string): number {
  return murmur(stem, STEM_SEED) || 1;
}

/** The slot of the key, else the empty slot where it belongs (linear probing). */
export function slotOf({ keys, slots }: Tables, key: number): number {
  let slot = key & (slots - 1);
  while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & (slots - 1);
  return slot;
}

function bodyBytes({ slots, rows }: TableShape): number {
  return slots * 10 + rows * (4 + VECTOR_LENGTH);
}

function views(bytes: ArrayBuffer, { slots, rows }: TableShape): Tables {
  const shares = HEADER_BYTES + slots * 4;
  const scales = shares + slots * 4;
  const rowNumbers = scales + rows * 4;
  const vectors = rowNumbers + slots * 2;
  return {
    slots,
    rows,
    keys: new Uint32Array(bytes, HEADER_BYTES, slots),
    shares: new Float32Array(bytes, shares, slots),
    scales: new Float32Array(bytes, scales, rows),
    rowNumbers: new Uint16Array(bytes, rowNumbers, slots),
    vectors: new Int8Array(bytes, vectors, rows * VECTOR_LENGTH),
  };
}
