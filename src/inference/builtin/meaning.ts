// Sums and similarities of rows of the table of word vectors.
import type { CountedWord } from './reading.ts';
import { NO_ROW, VECTOR_LENGTH } from './table-format.ts';
import { tables } from './tables.ts';

/** The weight of a word that occurs `count` times: 1, 1.33, 1.5 .. 2. */
export function saturate(count: number): number {
  return (2 * count) / (count + 1);
}

/** Adds a word's vector, whose length is the word's weight. The loop is unrolled by four: 1.7 times as fast. */
export function addRow(sums: Float64Array, row: number, weight: number): void {
  if (row === NO_ROW) return;
  const { vectors, scales } = tables();
  const scale = (scales[row] ?? 0) * weight;
  const from = row * VECTOR_LENGTH;
  for (let i = 0; i < VECTOR_LENGTH; i += 4) {
    const at = from + i;
    sums[i] = (sums[i] ?? 0) + scale * (vectors[at] ?? 0);
    sums[i + 1] = (sums[i + 1] ?? 0) + scale * (vectors[at + 1] ?? 0);
    sums[i + 2] = (sums[i + 2] ?? 0) + scale * (vectors[at + 2] ?? 0);
    sums[i + 3] = (sums[i + 3] ?? 0) + scale * (vectors[at + 3] ?? 0);
  }
}

/** The sum of the words' vectors at unit length; zero when no word has a vector. */
export function meaningOf(words: readonly CountedWord[]): Float64Array {
  const sums = new Float64Array(VECTOR_LENGTH);
  for (const { word, count } of words) addRow(sums, word.row, saturate(count));
  scaleTo(sums, 1);
  return sums;
}

/** Scales the vector to this length, unless it is zero. Returns its previous length. */
export function scaleTo(numbers: Float64Array, length: number): number {
  let squares = 0;
  for (let i = 0; i < numbers.length; i++) squares += (numbers[i] ?? 0) * (numbers[i] ?? 0);
  if (squares === 0) return 0;
  const before = Math.sqrt(squares);
  const factor = length / before;
  for (let i = 0; i < numbers.length; i++) numbers[i] = (numbers[i] ?? 0) * factor;
  return before;
}

/**
 * Applies the fast Walsh-Hadamard transform (Fino and Algazi 1976), which spreads every component over all of them.
 * It multiplies all inner products by the length. The first component of the table is large in every text, and the
 * engine quantizes with one scale for each vector, so the transform makes codes four times as fine.
 * @param numbers their count is a power of two
 */
export function spread(numbers: Float64Array): void {
  for (let half = 1; half < numbers.length; half *= 2) {
    for (let from = 0; from < numbers.length; from += 2 * half) {
      for (let i = from; i < from + half; i++) {
        const [a, b] = [numbers[i] ?? 0, numbers[i + half] ?? 0];
        numbers[i] = a + b;
        numbers[i + half] = a - b;
      }
    }
  }
}

export function innerProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Cosine of two words' vectors; 0 when a word has none. */
export function cosine(row: number, other: number): number {
  if (row === NO_ROW || other === NO_ROW) return 0;
  const lengths = lengthOf(row) * lengthOf(other);
  return lengths === 0 ? 0 : codesProduct(row, other) / lengths;
}

/** Lengths of rows computed so far; 0 when not known yet. */
let lengths = new Float64Array();

function lengthOf(row: number): number {
  if (lengths.length === 0) lengths = new Float64Array(tables().rows);
  if (lengths[row] === 0) lengths[row] = Math.sqrt(codesProduct(row, row));
  return lengths[row] ?? 0;
}

/** The inner product of two rows' codes: an integer. */
function codesProduct(row: number, other: number): number {
  const { vectors } = tables();
  const [a, b] = [row * VECTOR_LENGTH, other * VECTOR_LENGTH];
  let sum = 0;
  for (let i = 0; i < VECTOR_LENGTH; i += 4) {
    const first = Math.imul(vectors[a + i] ?? 0, vectors[b + i] ?? 0);
    const second = Math.imul(vectors[a + i + 1] ?? 0, vectors[b + i + 1] ?? 0);
    const third = Math.imul(vectors[a + i + 2] ?? 0, vectors[b + i + 2] ?? 0);
    const fourth = Math.imul(vectors[a + i + 3] ?? 0, vectors[b + i + 3] ?? 0);
    sum = (sum + first + second + third + fourth) | 0;
  }
  return sum;
}
