// The file of tables: a header, then a hash table of words, then rows of word vectors. Little-endian, 4-byte aligned.
import { murmur } from './murmur.ts';

/** 'PNYW' */
const MAGIC = 0x57594e50;
const VERSION = 1;
const HEADER_WORDS = 8;
const HEADER_BYTES = HEADER_WORDS * 4;
/** Stems are keyed apart from words, so that `us` the word is not `us` the stem of `use`. */
const STEM_SEED = 1;

/** Numbers in each word vector. */
export const VECTOR_LENGTH = 256;
/** No row: the word has no vector. */
export const NO_ROW = 65_535;

export interface TableShape {
  /** A power of two, more than entries. */
  readonly slots: number;
  readonly rows: number;
}

/** What the file holds; a word is found by the hash of its text, the text itself is not kept. */
export interface Tables extends TableShape {
  /** 0 marks an empty slot. */
  readonly keys: Uint32Array;
  /** Share of passages that have the word, 0..1. */
  readonly shares: Float32Array;
  /** Row of the word's vector, or NO_ROW. */
  readonly rowNumbers: Uint16Array;
  /** What a row's numbers are multiplied with: unit length times the word's weight in a text. */
  readonly scales: Float32Array;
  readonly vectors: Int8Array;
}

export interface TableFile {
  readonly tables: Tables;
  /** All after the header. */
  readonly body: Uint8Array;
  /** CRC-32 of the body, as the header has it. */
  readonly checksum: number;
}

/** An empty file of this shape, its header written, and views on it. */
export function emptyTables(shape: TableShape): { readonly bytes: ArrayBuffer; readonly tables: Tables } {
  const bytes = new ArrayBuffer(HEADER_BYTES + bodyBytes(shape));
  new Uint32Array(bytes, 0, HEADER_WORDS).set([MAGIC, VERSION, shape.slots, shape.rows, VECTOR_LENGTH]);
  return { bytes, tables: views(bytes, shape) };
}

/** Where the checksum of a file under construction goes. */
export function setChecksum(bytes: ArrayBuffer, checksum: number): void {
  new Uint32Array(bytes, 0, HEADER_WORDS)[5] = checksum;
}

/** @throws Error when the bytes are not such a file; the checksum is left to the caller */
export function tablesFrom(bytes: ArrayBuffer): TableFile {
  if (bytes.byteLength < HEADER_BYTES) throw new Error('the file of word tables is cut short');
  const [magic, version, slots = 0, rows = 0, length, checksum = 0] = new Uint32Array(bytes, 0, HEADER_WORDS);
  if (magic !== MAGIC || version !== VERSION || length !== VECTOR_LENGTH)
    throw new Error('the file of word tables is of another format');
  if (bytes.byteLength !== HEADER_BYTES + bodyBytes({ slots, rows }))
    throw new Error('the file of word tables is cut short');
  return { tables: views(bytes, { slots, rows }), body: new Uint8Array(bytes, HEADER_BYTES), checksum };
}

export function wordKey(word: string): number {
  return murmur(word) || 1;
}

export function stemKey(stem: string): number {
  return murmur(stem, STEM_SEED) || 1;
}

/** The slot that holds the key, else the empty slot where it would go (linear probing). */
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
