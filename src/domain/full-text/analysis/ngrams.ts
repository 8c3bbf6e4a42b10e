// The character n-grams of a word, which fields with n-grams index in place of the word.
import type { NgramAnalysis } from '../text-analysis.ts';

/** Bounds of `minGram` and `maxGram`. */
export const NGRAM_MIN = 1;
export const NGRAM_MAX = 10;

/** Calls `visit` with each gram: by its start, then by its length. A word shorter than `minGram` has none. */
export function forEachGram(
  word: string,
  { minGram, maxGram, prefixOnly }: NgramAnalysis,
  visit: (gram: string) => void,
): void {
  const offsets = characterOffsets(word);
  const length = offsets.length - 1;
  const startMax = prefixOnly ? Math.min(0, length - minGram) : length - minGram;
  for (let start = 0; start <= startMax; start++) {
    for (let end = start + minGram; end <= Math.min(length, start + maxGram); end++) {
      visit(word.slice(offsets[start], offsets[end]));
    }
  }
}

/** How many grams `forEachGram` visits in a word of so many characters. */
export function countGrams(characters: number, { minGram, maxGram, prefixOnly }: NgramAnalysis): number {
  let count = 0;
  for (let length = minGram; length <= Math.min(characters, maxGram); length++)
    count += prefixOnly ? 1 : characters - length + 1;
  return count;
}

/** Where each character (code point) begins, in code units, and where the last one ends. */
function characterOffsets(word: string): readonly number[] {
  const offsets = [0];
  let offset = 0;
  for (const character of word) {
    offset += character.length;
    offsets.push(offset);
  }
  return offsets;
}
