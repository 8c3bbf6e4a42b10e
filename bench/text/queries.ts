// The queries of the contest: terms and phrases drawn from the texts themselves, by a fixed seed.
import { analyzerOf } from '../../src/domain/full-text/analysis/analyzer.ts';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';

/** `phrase` and `all` draw their terms from one text, so that something matches; `any` as well, as people's words do. */
export const KINDS = {
  'one term': { form: 'term', terms: 1 },
  'any of 2': { form: 'any', terms: 2 },
  'any of 5': { form: 'any', terms: 5 },
  'all of 2': { form: 'all', terms: 2 },
  'all of 3': { form: 'all', terms: 3 },
  'phrase of 2': { form: 'phrase', terms: 2 },
  'phrase of 3': { form: 'phrase', terms: 3 },
  'fuzzy, 1 edit': { form: 'fuzzy', terms: 1 },
} as const satisfies Readonly<Record<string, { readonly form: Form; readonly terms: number }>>;

export type Form = 'term' | 'any' | 'all' | 'phrase' | 'fuzzy';
export type KindName = keyof typeof KINDS;

export interface ContestQuery {
  readonly form: Form;
  readonly terms: readonly string[];
}

const SEED = 5;
/** The same splitting as tantivy's and Lucene's: letters and digits, in lower case. */
const { tokens } = analyzerOf({ language: 'en', stemming: false, stopWords: false, ngram: null });

/** @throws when the texts have too few with enough terms */
export function queriesOf(kind: KindName, texts: readonly string[], count: number): readonly ContestQuery[] {
  const { form, terms } = KINDS[kind];
  const random = new Random(SEED);
  const queries: ContestQuery[] = [];
  for (let tries = 0; queries.length < count && tries < 100 * count; tries++) {
    const words = tokens(texts[random.integer(texts.length)] ?? '').map(({ term }) => term);
    if (words.length < terms) continue;
    const drawn = form === 'phrase' ? inARow(words, terms, random) : distinct(words, terms, random);
    if (drawn !== null) queries.push({ form, terms: drawn });
  }
  if (queries.length < count) throw new Error(`the texts have too few of ${terms} terms`);
  return queries;
}

function inARow(words: readonly string[], count: number, random: Random): readonly string[] {
  const first = random.integer(words.length - count + 1);
  return words.slice(first, first + count);
}

function distinct(words: readonly string[], count: number, random: Random): readonly string[] | null {
  const chosen = new Set<string>();
  for (let tries = 0; chosen.size < count && tries < 10 * count; tries++)
    chosen.add(words[random.integer(words.length)] ?? '');
  return chosen.size === count ? [...chosen] : null;
}
