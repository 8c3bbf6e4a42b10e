// Counting and cutting texts by words, which are this provider's tokens.
import { wordsOf } from './words.ts';

/** Which end is cut off. */
export type Cut = 'START' | 'END';

/** Words in the text; 0 for a text without any. */
export function countTokens(text: string): number {
  return wordsOf(text).length;
}

/** The text itself when it has at most `tokensMax` tokens, else those that stay, with spaces between. */
export function truncateTo(text: string, tokensMax: number, cut: Cut): string {
  const words = wordsOf(text);
  if (words.length <= tokensMax) return text;
  const kept = cut === 'END' ? words.slice(0, tokensMax) : words.slice(words.length - tokensMax);
  return kept.join(' ');
}
