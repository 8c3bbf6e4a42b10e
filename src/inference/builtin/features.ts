// Features of a word for hashed vectors: the word itself and its letter n-grams, each spread over a few dimensions.
import { mix, murmur } from './murmur.ts';
import { isWithoutSpaces } from './words.ts';

/** Several places a feature make collisions of features small. */
export const WORD_PLACES = 4;
const GROUP_PLACES = 2;
const GROUP_LENGTHS = [3, 4];
/** Words in scripts without spaces are short: single signs and pairs say what they are about. */
const SHORT_GROUP_LENGTHS = [1, 2];
const GROUPED_LENGTH_MAX = 32;

/**
 * 32-bit places: the highest 24 bits tell where, as a fraction of the vector; the lowest is the sign.
 * The first WORD_PLACES are the word's, the others its letter groups'.
 */
export function placesOf(word: string): Uint32Array {
  const groups = groupsOf(word);
  const places = new Uint32Array(WORD_PLACES + groups.length * GROUP_PLACES);
  for (let i = 0; i < WORD_PLACES; i++) places[i] = murmur(word, i + 1);
  for (const [at, group] of groups.entries()) {
    const hash = murmur(group, group.length);
    for (let i = 0; i < GROUP_PLACES; i++) places[WORD_PLACES + at * GROUP_PLACES + i] = mix(hash, i);
  }
  return places;
}

function groupsOf(word: string): readonly string[] {
  const lengths = isWithoutSpaces(word) ? SHORT_GROUP_LENGTHS : GROUP_LENGTHS;
  const marked = `<${word.slice(0, GROUPED_LENGTH_MAX)}>`;
  return lengths.flatMap((length) =>
    Array.from({ length: Math.max(0, marked.length - length + 1) }, (_, at) => marked.slice(at, at + length)),
  );
}
