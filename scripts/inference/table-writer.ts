// Packs shares and word vectors into the file that the encoders read.
import { crc32 } from 'node:zlib';
import { HALF_WEIGHT_SHARE } from '../../src/inference/builtin/lexicon.ts';
import { stemOf } from '../../src/inference/builtin/stem.ts';
import {
  emptyTables,
  NO_ROW,
  setChecksum,
  slotOf,
  stemKey,
  type Tables,
  tablesFrom,
  VECTOR_LENGTH,
  wordKey,
} from '../../src/inference/builtin/table-format.ts';
import type { DenseMatrix } from './sparse-matrix.ts';
import type { WordShares } from './word-shares.ts';

/** A power of two that leaves the hash table less than half full. */
const SLOTS = 2 ** 18;
const CODE_MAX = 127;

export interface TableContents {
  readonly shares: WordShares;
  /** Stems with a vector, in the order of the vectors' rows. */
  readonly stems: readonly string[];
  readonly vectors: DenseMatrix;
  /** Irregular forms and their bases. */
  readonly exceptions: readonly (readonly [form: string, base: string])[];
}

export function tableFile({ shares, stems, vectors, exceptions }: TableContents): Uint8Array {
  const { bytes, tables } = emptyTables({ slots: SLOTS, rows: stems.length });
  tables.rowNumbers.fill(NO_ROW);
  for (const [word, share] of byShare(shares.words)) place(tables, wordKey(word), share);
  for (const [stem, share] of byShare(shares.stems)) place(tables, stemKey(stem), share);
  for (const [row, stem] of stems.entries()) {
    const slot = place(tables, stemKey(stem), shares.stems.get(stem) ?? 0);
    tables.rowNumbers[slot] = row;
    encodeRow(tables, row, vectors.data.subarray(row * VECTOR_LENGTH, (row + 1) * VECTOR_LENGTH));
    const weight = HALF_WEIGHT_SHARE / (HALF_WEIGHT_SHARE + (tables.shares[slot] ?? 0));
    tables.scales[row] = (tables.scales[row] ?? 0) * weight;
  }
  const rows = new Map(stems.map((stem, row) => [stem, row]));
  for (const [form, base] of exceptions) {
    const row = rows.get(stemOf(base));
    if (row !== undefined && !rows.has(stemOf(form)))
      tables.rowNumbers[place(tables, wordKey(form), shares.words.get(form) ?? 0)] = row;
  }
  setChecksum(bytes, crc32(tablesFrom(bytes).body));
  return new Uint8Array(bytes);
}

/** Most common first: of two words with one key, that one stays. */
function byShare(shares: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...shares].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1));
}

function place(tables: Tables, key: number, share: number): number {
  const slot = slotOf(tables, key);
  if (tables.keys[slot] === key) return slot;
  tables.keys[slot] = key;
  tables.shares[slot] = share;
  return slot;
}

/** Eight bits a number; the scale brings the row to unit length. */
function encodeRow({ vectors, scales }: Tables, row: number, numbers: Float64Array): void {
  const largest = numbers.reduce((max, number) => Math.max(max, Math.abs(number)), 0);
  const codes = vectors.subarray(row * VECTOR_LENGTH, (row + 1) * VECTOR_LENGTH);
  if (largest > 0)
    for (const [i, number] of numbers.entries()) codes[i] = Math.round((number / largest) * CODE_MAX);
  const squares = codes.reduce((sum, code) => sum + code * code, 0);
  scales[row] = squares === 0 ? 0 : 1 / Math.sqrt(squares);
}
