// Texts of queries that are unlike the records: short phrases, and another language.
import { packageDescriptions } from './package-descriptions.ts';

/** Words of a phrase. */
const PHRASE_WORDS = { min: 2, max: 4 } as const;
const SEED = 29;

/** One phrase from within each text. */
export function phrasesOf(texts: readonly string[]): readonly string[] {
  let state = SEED;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  return texts.map((text) => {
    const words = text.split(' ');
    const count = PHRASE_WORDS.min + below(PHRASE_WORDS.max - PHRASE_WORDS.min + 1);
    const start = below(Math.max(1, words.length - count));
    return words.slice(start, start + count).join(' ');
  });
}

/** German sentences, which a model for English places away from all records. */
export function germanTexts(count: number): readonly string[] {
  const all = packageDescriptions('de');
  const step = Math.floor(all.length / count);
  return Array.from({ length: count }, (_, at) => all[at * step] ?? '');
}
