// Reads a text as its words in order, and as distinct words with their counts.
import { type Word, wordOf } from './lexicon.ts';
import { wordsOf } from './words.ts';

export interface CountedWord {
  readonly word: Word;
  readonly count: number;
}

export interface Reading {
  /** All words in order. */
  readonly sequence: readonly CountedWord[];
  /** Each word once, in order of first occurrence. */
  readonly distinct: readonly CountedWord[];
}

export function read(text: string): Reading {
  const known = new Map<string, { readonly word: Word; count: number }>();
  const sequence = wordsOf(text).map((text) => {
    const entry = known.get(text);
    if (entry === undefined) {
      const first = { word: wordOf(text), count: 1 };
      known.set(text, first);
      return first;
    }
    entry.count++;
    return entry;
  });
  return { sequence, distinct: [...known.values()] };
}
