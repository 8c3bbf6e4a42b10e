// Dense vectors: sums of word vectors, with hashed words, word pairs and letter n-grams.
import { WORD_POSITIONS } from './features.ts';
import { addRow, saturate, scaleTo, spread } from './meaning.ts';
import { mix } from './murmur.ts';
import { type CountedWord, type Reading, read } from './reading.ts';
import { VECTOR_LENGTH } from './table-format.ts';

export type InputType = 'query' | 'passage';

export const DENSE_DIMENSION_MIN = 320;
export const DENSE_DIMENSION_MAX = 8_192;

/** Share of a similarity that comes from word vectors; the rest comes from shared words and letters. */
const MEANING_SHARE = 0.65;
const MEANING_SCALE = Math.sqrt(MEANING_SHARE);
const LETTERS_SCALE = Math.sqrt(1 - MEANING_SHARE);
const PAIR_WEIGHT = 0.5;
const GROUP_WEIGHT = 0.3;
/** * The last component distinguishes queries from passages: the same text has two vectors. All similarities between a
 * query and passages shift by the same amount, so no ranking changes.
 */
const SIDE = 0.1;
const REST = Math.sqrt(1 - SIDE * SIDE);

export interface DenseOptions {
  /** DENSE_DIMENSION_MIN..DENSE_DIMENSION_MAX */
  readonly dimension: number;
  readonly inputType: InputType;
}

/**
 * Returns one unit vector for each text, in order. The result is the same on every machine: the code uses only
 * operations that IEEE 754 rounds exactly (+ - * / and square root), in a fixed order.
 * @throws RangeError on a dimension out of range
 */
export function encodeDense(
  texts: readonly string[],
  { dimension, inputType }: DenseOptions,
): Float32Array[] {
  if (!Number.isInteger(dimension) || dimension < DENSE_DIMENSION_MIN || dimension > DENSE_DIMENSION_MAX)
    throw new RangeError(
      `dimension ${DENSE_DIMENSION_MIN} to ${DENSE_DIMENSION_MAX} expected, got ${dimension}`,
    );
  const sums = new Float64Array(dimension);
  return texts.map((text) => {
    sums.fill(0);
    const side = inputType === 'query' ? -1 : 1;
    return Float32Array.from(encode(read(text), sums, side));
  });
}

function encode({ sequence, distinct }: Reading, sums: Float64Array, side: number): Float64Array {
  const meaning = sums.subarray(0, VECTOR_LENGTH);
  const letters = sums.subarray(VECTOR_LENGTH, -1);
  for (const { word, count } of distinct) {
    const weight = saturate(count);
    addRow(meaning, word.row, weight);
    addFeatures(letters, word.features, weight * word.weight);
  }
  addPairs(letters, sequence);
  spread(meaning);
  scaleTo(meaning, MEANING_SCALE);
  scaleTo(letters, LETTERS_SCALE);
  const length = scaleTo(sums, REST);
  sums[sums.length - 1] = length === 0 ? side : side * SIDE;
  return sums;
}

function addFeatures(letters: Float64Array, features: Uint32Array, weight: number): void {
  const group = weight * GROUP_WEIGHT;
  for (let i = 0; i < WORD_POSITIONS; i++) addAt(letters, features[i] ?? 0, weight);
  for (let i = WORD_POSITIONS; i < features.length; i++) addAt(letters, features[i] ?? 0, group);
}

function addPairs(letters: Float64Array, sequence: readonly CountedWord[]): void {
  let before: CountedWord['word'] | undefined;
  for (const { word } of sequence) {
    if (before !== undefined) {
      const weight = PAIR_WEIGHT * Math.sqrt(before.weight * word.weight);
      const hash = mix(before.index, word.index);
      for (let i = 0; i < WORD_POSITIONS; i++) addAt(letters, mix(hash, i), weight);
    }
    before = word;
  }
}

function addAt(letters: Float64Array, feature: number, weight: number): void {
  const at = (((feature >>> 8) * letters.length) / 2 ** 24) | 0;
  letters[at] = (letters[at] ?? 0) + ((feature & 1) === 0 ? weight : -weight);
}
