// Expands the words of a query for sparse search: other forms of each word, and words of similar meaning, weigh less.
import { rarityAt, type Word } from './lexicon.ts';
import { murmur } from './murmur.ts';
import { type CountedWord, read } from './reading.ts';
import { SIMILAR_ROWS, SIMILARITY_ONE } from './related-format.ts';
import { stemOf } from './stem.ts';
import { STOP_WORDS } from './stop-words.ts';
import { NO_ROW } from './table-format.ts';
import { relatedTables } from './tables.ts';

/** Chosen by `npm run bench:retrieval`: higher ones lose on manual pages what they gain on paraphrases. */
const FORM_WEIGHT = 0.3;
const SIMILAR_WEIGHT = 0.2;
/** The most common forms only: each costs the scan of a posting list. */
const FORMS_MAX = 8;
const SIMILAR_FORMS_MAX = 2;
/** Longer queries say enough themselves; their rarest words are expanded. */
const EXPANDED_WORDS_MAX = 32;
/** Shorter words with a final s are rarely plurals. */
const PLURAL_LENGTH_MIN = 4;

/** Indices are ascending and distinct; both lists have the same length. */
export interface ExpandedQuery {
  readonly indices: Uint32Array;
  readonly values: Float32Array;
}

/**
 * The query's own words with weight 1, as `encodeSparse` gives them, and lower weights for related words. Passages
 * stay as they are, so this works with every stored vector, those of the hosted model included. A query has at most
 * EXPANDED_WORDS_MAX x (FORMS_MAX + SIMILAR_ROWS x SIMILAR_FORMS_MAX) more indices than words.
 */
export function expandQuery(text: string): ExpandedQuery {
  const { distinct } = read(text);
  const weights = new Map<number, number>();
  for (const { word } of rarest(distinct)) {
    for (const [index, weight] of relatedTo(word)) {
      if (weight > (weights.get(index) ?? 0)) weights.set(index, weight);
    }
  }
  for (const { word } of distinct) weights.set(word.index, 1);
  const indices = Uint32Array.from(weights.keys()).sort();
  return { indices, values: Float32Array.from(indices, (index) => weights.get(index) ?? 0) };
}

function rarest(distinct: readonly CountedWord[]): readonly CountedWord[] {
  const content = distinct.filter(({ word }) => !STOP_WORDS.has(word.text));
  return content.sort((a, b) => b.word.rarity - a.word.rarity).slice(0, EXPANDED_WORDS_MAX);
}

function* relatedTo(word: Word): Generator<readonly [index: number, weight: number]> {
  if (word.row === NO_ROW) {
    const other = otherNumber(word.text);
    if (other !== null) yield [murmur(other), FORM_WEIGHT];
    return;
  }
  // A rarer form has higher weights in passages, which this evens out.
  for (const form of formsOf(word.row, FORMS_MAX)) {
    yield [form, FORM_WEIGHT * Math.min(1, word.rarity / rarityAt(form))];
  }
  const { similar, similarities } = relatedTables();
  for (let at = word.row * SIMILAR_ROWS; at < (word.row + 1) * SIMILAR_ROWS; at++) {
    const weight = (SIMILAR_WEIGHT * (similarities[at] ?? 0)) / SIMILARITY_ONE;
    if (weight === 0) return;
    for (const form of formsOf(similar[at] ?? 0, SIMILAR_FORMS_MAX)) yield [form, weight];
  }
}

function formsOf(row: number, count: number): Uint32Array {
  const { starts, forms } = relatedTables();
  const from = starts[row] ?? 0;
  return forms.subarray(from, Math.min(starts[row + 1] ?? 0, from + count));
}

/** Plural or singular of a word that no table knows, such as a product's name; null if the stems differ. */
function otherNumber(word: string): string | null {
  if (word.length < PLURAL_LENGTH_MIN) return null;
  const other = word.endsWith('s') ? word.slice(0, -1) : `${word}s`;
  return stemOf(other) === stemOf(word) ? other : null;
}
