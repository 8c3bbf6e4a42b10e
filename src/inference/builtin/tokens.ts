// Counts and truncates texts by words, which are the tokens of this provider.
import { wordsOf } from './words.ts';

/** Which end is removed. */
export type Cut = 'START' | 'END';

/** Before each ASCII character that separates words: nothing combines across it. */
const PART_BEGIN = /(?=[\0-/:-@[-^`{-\x7f])/;
const LOW_SURROGATE = /^[\udc00-\udfff]/;

/** Number of words in the text. */
export function countTokens(text: string): number {
  return wordsOf(text).length;
}

/**
 * Returns the text itself if it has at most `tokensMax` tokens, else its beginning or end with at most as many, which is
 * as it was written: other models read case and punctuation.
 */
export function truncateTo(text: string, tokensMax: number, cut: Cut): string {
  if (countTokens(text) <= tokensMax) return text;
  const parts = text.split(PART_BEGIN);
  if (cut === 'START') parts.reverse();
  let left = tokensMax;
  let length = 0;
  for (const part of parts) {
    if (left === 0) break;
    const tokens = countTokens(part);
    length += tokens <= left ? part.length : fittingLength(part, left, cut);
    left -= Math.min(left, tokens);
  }
  return cut === 'END' ? text.slice(0, length) : text.slice(text.length - length).trimStart();
}

/** The length of the longest beginning or end of a text with more than `tokensMax` tokens that has at most as many. */
function fittingLength(text: string, tokensMax: number, cut: Cut): number {
  const isFitting = (length: number) =>
    countTokens(cut === 'END' ? text.slice(0, length) : text.slice(text.length - length)) <= tokensMax;
  // Segmenting all of a long text to keep little of it would be slow.
  let fitting = 0;
  let excess = 1;
  while (excess < text.length && isFitting(excess)) {
    fitting = excess;
    excess *= 2;
  }
  excess = Math.min(excess, text.length);
  while (excess - fitting > 1) {
    const middle = Math.floor((fitting + excess) / 2);
    if (isFitting(middle)) fitting = middle;
    else excess = middle;
  }
  const at = cut === 'END' ? fitting : text.length - fitting;
  return LOW_SURROGATE.test(text.slice(at, at + 1)) ? Math.max(0, fitting - 1) : fitting;
}
