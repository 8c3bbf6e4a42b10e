// Counts and truncates texts by words, which are the tokens of this provider.
import { wordsOf } from './words.ts';

/** Which end is removed. */
export type Cut = 'START' | 'END';

/** Number of words in the text. */
export function countTokens(text: string): number {
  return wordsOf(text).length;
}

/** Returns the text itself if it has at most `tokensMax` tokens, else the remaining tokens, separated by spaces. */
export function truncateTo(text: string, tokensMax: number, cut: Cut): string {
  const words = wordsOf(text);
  if (words.length <= tokensMax) return text;
  const kept = cut === 'END' ? words.slice(0, tokensMax) : words.slice(words.length - tokensMax);
  return kept.join(' ');
}
