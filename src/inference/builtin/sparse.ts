// Sparse vectors in the index space of the hosted English sparse model, and a stemmed variant of them.
import type { InputType } from './dense.ts';
import type { Word } from './lexicon.ts';
import { type CountedWord, read } from './reading.ts';

/** `words`: whole words, as in the hosted model; `stems`: English stems, which match other forms of a word. */
export type SparseForm = 'words' | 'stems';

export interface SparseOptions {
  readonly inputType: InputType;
  readonly form: SparseForm;
}

/** Indices are ascending and distinct; the three lists have the same length. */
export interface SparseEncoding {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
  /** The word or stem of each index; if two share an index, both, separated by a space. */
  readonly tokens: readonly string[];
}

/** BM25 (Robertson, Zaragoza 2009) with document frequencies from a fixed table and a constant average length. */
const K1 = 0.6;
const B = 0.5;
const USUAL_WORDS = 100;
/** Scales rare words to their weights in the hosted model, about 5, so that hybrid weightings carry over. */
const SCALE = 0.35;

interface Term {
  readonly token: string;
  readonly index: number;
  readonly rarity: number;
  readonly count: number;
}

interface Entry {
  readonly index: number;
  readonly token: string;
  readonly value: number;
}

/** Query weights are 1. Weights in passages grow with a word's rarity and, saturating, with its count. */
export function encodeSparse(text: string, { inputType, form }: SparseOptions): SparseEncoding {
  const { sequence, distinct } = read(text);
  const halfAt = K1 * (1 - B + (B * sequence.length) / USUAL_WORDS);
  const terms = form === 'words' ? distinct.map(asWord) : stemsOf(distinct);
  const entries = terms.map(({ token, index, rarity, count }) => ({
    token,
    index,
    value: inputType === 'query' ? 1 : (SCALE * rarity * count * (K1 + 1)) / (count + halfAt),
  }));
  return listed(entries.sort((a, b) => a.index - b.index));
}

/** The indices of a required term, as `encodeSparse` assigns them to its words. */
export function termIndices(term: string, form: SparseForm): Uint32Array {
  return encodeSparse(term, { inputType: 'query', form }).indices;
}

function asWord({ word, count }: CountedWord): Term {
  return { token: word.text, index: word.index, rarity: word.rarity, count };
}

/** Merges words of the same stem. */
function stemsOf(distinct: readonly CountedWord[]): readonly Term[] {
  const counts = new Map<string, { readonly word: Word; count: number }>();
  for (const { word, count } of distinct) {
    const known = counts.get(word.stem);
    if (known === undefined) counts.set(word.stem, { word, count });
    else known.count += count;
  }
  return Array.from(counts.values(), ({ word, count }) => ({
    token: word.stem,
    index: word.stemIndex,
    rarity: word.stemRarity,
    count,
  }));
}

/** Merges entries of the same index, and keeps the greatest weight. */
function listed(sorted: readonly Entry[]): SparseEncoding {
  const merged: Entry[] = [];
  for (const entry of sorted) {
    const last = merged.at(-1);
    if (last?.index !== entry.index) merged.push(entry);
    else
      merged[merged.length - 1] = {
        index: entry.index,
        token: `${last.token} ${entry.token}`,
        value: Math.max(last.value, entry.value),
      };
  }
  return {
    indices: Uint32Array.from(merged, ({ index }) => index),
    values: Float32Array.from(merged, ({ value }) => value),
    tokens: merged.map(({ token }) => token),
  };
}
