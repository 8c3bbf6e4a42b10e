// The training documents: each synset with its gloss, each entry of the Jargon File, as lists of stems.
import { stemOf } from '../../src/inference/builtin/stem.ts';
import { STOP_WORDS } from '../../src/inference/builtin/stop-words.ts';
import { wordsOf } from '../../src/inference/builtin/words.ts';
import type { Synset } from './wordnet.ts';

/** A stem counts in the vectors when this many documents have it. */
const DOCUMENTS_MIN = 3;
/** A word said often in one document says little more than one said twice. */
const COUNT_MAX = 2;
const RELATED_MAX = 30;
const RELATED_WORDS_MAX = 15;
const ENTRY_WORDS_MAX = 40;

/** A document's terms and their weights, in the order of first mention. */
export type Bag = ReadonlyMap<number, number>;

export interface TrainingDocument {
  readonly own: Bag;
  /** Terms of related documents, added up. */
  readonly related: Bag;
}

export interface Corpus {
  /** Stems by term number. */
  readonly stems: readonly string[];
  readonly documents: readonly TrainingDocument[];
}

export function corpusOf(synsets: readonly Synset[], entries: readonly string[]): Corpus {
  const synsetStems = synsets.map(({ lemmas, gloss }) => contentStems(`${lemmas.join(' ')} ${gloss}`));
  const entryStems = entries.flatMap((entry) => partsOf(contentStems(entry)));
  const stems = frequentStems([...synsetStems, ...entryStems]);
  const numbers = new Map(stems.map((stem, number) => [stem, number]));
  const terms = (list: readonly string[]) => list.flatMap((stem) => numbers.get(stem) ?? []);
  const synsetTerms = synsetStems.map(terms);
  const documents = synsets.map(({ related }, at) => ({
    own: bagOf(synsetTerms[at] ?? []),
    related: bagOf(
      related.slice(0, RELATED_MAX).flatMap((r) => synsetTerms[r]?.slice(0, RELATED_WORDS_MAX) ?? []),
      related.length,
    ),
  }));
  const more = entryStems.map((list) => ({ own: bagOf(terms(list)), related: new Map() }));
  return { stems, documents: [...documents, ...more] };
}

function contentStems(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stemOf);
}

function partsOf(list: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(list.length / ENTRY_WORDS_MAX);
  return Array.from({ length: count }, (_, i) => list.slice(i * ENTRY_WORDS_MAX, (i + 1) * ENTRY_WORDS_MAX));
}

/** Stems in enough documents, in the order of first mention. */
function frequentStems(documents: readonly (readonly string[])[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const list of documents)
    for (const stem of new Set(list)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= DOCUMENTS_MIN).map(([stem]) => stem);
}

function bagOf(terms: readonly number[], countMax = COUNT_MAX): Bag {
  const bag = new Map<number, number>();
  for (const term of terms) bag.set(term, Math.min((bag.get(term) ?? 0) + 1, countMax));
  return bag;
}
