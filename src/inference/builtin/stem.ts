// English stems (Porter2), cached for recent words.
import { createRequire } from 'node:module';
import { RecentMap } from '../../domain/recent-map.ts';

interface Stemmer {
  stem(word: string): string;
}

const STEMMED_LENGTH_MAX = 40;
const STEMS_REMEMBERED = 20_000;
const ENGLISH_WORD = /^[a-z]+$/;

/** The package has no types. */
interface Stemmers {
  newStemmer(language: 'english'): Stemmer;
}

const { newStemmer }: Stemmers = createRequire(import.meta.url)('snowball-stemmers');
const stemmer = newStemmer('english');
const recent = new RecentMap<string>(STEMS_REMEMBERED);

/** The stem of a lower-case word. Very long words, and those with other than English letters, are their own stem. */
export function stemOf(word: string): string {
  if (word.length > STEMMED_LENGTH_MAX || !ENGLISH_WORD.test(word)) return word;
  return recent.get(word) ?? recent.set(word, stemmer.stem(word));
}
