// Features of a word for hashed vectors: the word itself and its letter n-grams, each spread over a few dimensions.
import { mix, murmur } from './murmur.ts';
import { isWithoutSpaces } from './words.ts';

/** Each feature has several positions, which makes collisions of features small. */
export const WORD_POSITIONS = 4;
const GROUP_POSITIONS = 2;
const GROUP_LENGTHS = [3, 4];
/** Words in scripts without spaces are short, so single characters and pairs carry their meaning. */
const SHORT_GROUP_LENGTHS = [1, 2];
const GROUPED_LENGTH_MAX = 32;

/**
 * Returns 32-bit feature codes: the highest 24 bits are the position as a fraction of the vector, the lowest bit is
 * the sign. The first WORD_POSITIONS belong to the word, the others to its letter n-grams.
 */
export function featuresOf(word: string): Uint32Array {
  const groups = groupsOf(word);
  const features = new Uint32Array(WORD_POSITIONS + groups.length * GROUP_POSITIONS);
  for (let i = 0; i < WORD_POSITIONS; i++) features[i] = murmur(word, i + 1);
  for (const [at, group] of groups.entries()) {
    const hash = murmur(group, group.length);
    for (let i = 0; i < GROUP_POSITIONS; i++)
      features[WORD_POSITIONS + at * GROUP_POSITIONS + i] = mix(hash, i);
  }
  return features;
}

function groupsOf(word: string): readonly string[] {
  const lengths = isWithoutSpaces(word) ? SHORT_GROUP_LENGTHS : GROUP_LENGTHS;
  const marked = `<${word.slice(0, GROUPED_LENGTH_MAX)}>`;
  return lengths.flatMap((length) =>
    Array.from({ length: Math.max(0, marked.length - length + 1) }, (_, at) => marked.slice(at, at + length)),
  );
}
