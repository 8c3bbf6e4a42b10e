// Scores the relevance of documents to a query: common words and pairs, words of similar meaning, and overall similarity.
import type { Word } from './lexicon.ts';
import { cosine, innerProduct, meaningOf } from './meaning.ts';
import { type CountedWord, type Reading, read } from './reading.ts';
import { NO_ROW } from './table-format.ts';
import { tables } from './tables.ts';

/** Only the first distinct words of longer queries are used, which bounds the work. */
const QUERY_WORDS_MAX = 64;
/** The weight of each part of the score; they sum to 1. Measured in bench/retrieval. */
const SHARES = { exact: 0.2, alike: 0.2, meaning: 0.5, pairs: 0.1 } as const;
/** Words below this cosine count as unrelated. */
const COSINE_MIN = 0.2;
/** A word that occurs this often has half the maximum effect; scaled by the length of the text. */
const HALF_AT = 0.3;
const HALF_AT_A_WORD = 0.003;

interface Query {
  readonly terms: readonly QueryTerm[];
  readonly pairs: PairWeights;
  readonly meaning: Float64Array;
}

interface QueryTerm {
  readonly word: Word;
  /** The word's share of the query, by rarity. */
  readonly share: number;
  /** For each row of the table, 2 + its cosine to this word; 0 when not known yet. */
  readonly cosines: Float32Array;
}

/** Weight of each pair of adjacent stems, by the first and then the second; they sum to 1. */
type PairWeights = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Returns scores from 0 to 1 in the order of the documents; higher is better. Each score depends only on the query
 * and its own document. Soft alignment: each query word is matched with the document's best word, as in Kenter and de
 * Rijke (2015).
 */
export function relevance(query: string, documents: readonly string[]): Float64Array {
  return Float64Array.from(documents, scorerOf(query));
}

/** Returns a function that scores texts for one query, as `relevance` does. */
export function scorerOf(query: string): (text: string) => number {
  const { sequence, distinct } = read(query);
  const terms = termsOf(distinct.slice(0, QUERY_WORDS_MAX));
  const prepared = {
    terms,
    pairs: pairsOf(sequence.slice(0, QUERY_WORDS_MAX)),
    meaning: meaningOf(distinct),
  };
  return (text) => score(prepared, read(text));
}

function score({ terms, pairs, meaning }: Query, { sequence, distinct }: Reading): number {
  const { exact, alike } = alignment(terms, distinct, HALF_AT + HALF_AT_A_WORD * sequence.length);
  const near = Math.max(0, innerProduct(meaning, meaningOf(distinct)));
  const sum =
    SHARES.exact * exact +
    SHARES.alike * alike +
    SHARES.meaning * near +
    SHARES.pairs * pairsFound(pairs, sequence);
  return Math.min(1, sum);
}

/** Merges words of the same stem into one term. */
function termsOf(words: readonly CountedWord[]): readonly QueryTerm[] {
  const distinct = [...new Map(words.map(({ word }) => [word.stem, word])).values()];
  const total = distinct.reduce((sum, word) => sum + word.stemRarity, 0);
  return distinct.map((word) => ({
    word,
    share: word.stemRarity / total,
    cosines: new Float32Array(tables().rows),
  }));
}

/** `exact`: occurrences of the query's words; `alike`: the best match of each query word among the text's words. */
function alignment(
  terms: readonly QueryTerm[],
  words: readonly CountedWord[],
  halfAt: number,
): { readonly exact: number; readonly alike: number } {
  const counts = new Map<string, number>();
  for (const { word, count } of words) counts.set(word.stem, (counts.get(word.stem) ?? 0) + count);
  let [exact, alike] = [0, 0];
  for (const term of terms) {
    const count = counts.get(term.word.stem) ?? 0;
    exact += (term.share * count) / (count + halfAt);
    alike += term.share * (count > 0 ? 1 : bestCosine(term, words));
  }
  return { exact, alike };
}

function bestCosine(term: QueryTerm, others: readonly CountedWord[]): number {
  let best = COSINE_MIN;
  for (const { word } of others) if (word.row !== NO_ROW) best = Math.max(best, knownCosine(term, word.row));
  return best === COSINE_MIN ? 0 : Math.min(1, best);
}

/** Always reads the value back from 32 bits, so that the first call returns the same as later ones. */
function knownCosine({ word, cosines }: QueryTerm, row: number): number {
  if (cosines[row] === 0) cosines[row] = 2 + cosine(word.row, row);
  return (cosines[row] ?? 0) - 2;
}

/** The rarer both words are, the more a pair weighs. */
function pairsOf(sequence: readonly CountedWord[]): PairWeights {
  const pairs = [...neighbours(sequence)];
  const total = pairs.reduce((sum, [first, second]) => sum + pairWeight(first, second), 0);
  const weights = new Map<string, Map<string, number>>();
  for (const [first, second] of pairs) {
    const seconds = weights.get(first.stem) ?? new Map<string, number>();
    const weight = pairWeight(first, second) / total;
    weights.set(first.stem, seconds.set(second.stem, (seconds.get(second.stem) ?? 0) + weight));
  }
  return weights;
}

function pairWeight(first: Word, second: Word): number {
  return Math.sqrt(first.weight * second.weight);
}

function pairsFound(pairs: PairWeights, sequence: readonly CountedWord[]): number {
  if (pairs.size === 0) return 0;
  const found = new Map<string, number>();
  let before: Word | undefined;
  for (const { word } of sequence) {
    const weight = before && pairs.get(before.stem)?.get(word.stem);
    if (before !== undefined && weight !== undefined) found.set(`${before.stem} ${word.stem}`, weight);
    before = word;
  }
  let sum = 0;
  for (const weight of found.values()) sum += weight;
  return sum;
}

function* neighbours(sequence: readonly CountedWord[]): Generator<readonly [Word, Word]> {
  let before: Word | undefined;
  for (const { word } of sequence) {
    if (before !== undefined) yield [before, word];
    before = word;
  }
}
