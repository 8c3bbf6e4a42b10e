// English stems (Porter2), cached for recent words.
import { createRequire } from 'node:module';
import { RecentMap } from '../../domain/recent-map.ts';

const STEMMED_LENGTH_MAX = 40;
const STEMS_REMEMBERED = 20_000;
const ENGLISH_WORD = /^[a-z]+$/;

/** Full-text fields stem by a later edition of Snowball; stored vectors need these stems. */
const { stem }: { stem(word: string): string } = createRequire(import.meta.url)('porter2');
const recent = new RecentMap<string>(STEMS_REMEMBERED);

/** The stem of a lower-case word. Very long words, and those with other than English letters, are their own stem. */
export function stemOf(word: string): string {
  if (word.length > STEMMED_LENGTH_MAX || !ENGLISH_WORD.test(word)) return word;
  return recent.get(word) ?? recent.set(word, stem(word));
}
