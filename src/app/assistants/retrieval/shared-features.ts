// Compares a question with candidates by terms, pairs of terms and letter groups, weighted by their rarity among them,
// and by the terms that the candidates begin with.
import { inTurns } from '../../../platform/turns.ts';
import { gramsOf } from '../terms/analyze.ts';
import { questionNames } from '../terms/compounds.ts';
import { comparedQuestion, comparedTerms } from '../terms/word-forms.ts';

/** BM25 (Robertson and Zaragoza 2009) with the constants of the search for all terms. */
const K1 = 1.2;
const B = 0.75;

/** Terms that a text begins with: its headings and first sentence or two, which tell what it is about. */
const LEAD_TERMS = 40;

/** What terms weigh, by their rarity in all texts. */
export type TermWeights = ReadonlyMap<string, number>;

/** For each candidate, the share of what a text of the question alone would score, usually 0 to 1. */
export interface SharedFeatures {
  readonly terms: Float64Array;
  readonly pairs: Float64Array;
  readonly grams: Float64Array;
  /** Null for a question without names of several words. */
  readonly names: Float64Array | null;
  /** Of the terms that the text begins with. */
  readonly lead: Float64Array;
}

/**
 * Rarity is that among the candidates, which a search has found, unless weights are given: counting in all texts ranks
 * much the same, and letter groups would need an index of their own.
 */
export async function sharedFeatures(
  question: string,
  texts: readonly string[],
  weights: TermWeights = new Map(),
): Promise<SharedFeatures> {
  const words = comparedTerms(question);
  const { names, namesIn } = questionNames(question);
  const counters = {
    terms: new FeatureCounter(comparedQuestion(question), texts.length),
    names: new FeatureCounter(names, texts.length),
    pairs: new FeatureCounter(new Set(pairsOf(words)), texts.length),
    grams: new FeatureCounter(new Set(gramsOf(question)), texts.length),
    lead: new FeatureCounter(comparedQuestion(question), texts.length),
  };
  await inTurns(texts, (text, at) => {
    const terms = comparedTerms(text);
    counters.names.count(at, namesIn(terms));
    counters.terms.count(at, terms);
    counters.lead.count(at, terms.slice(0, LEAD_TERMS));
    counters.pairs.count(at, pairsOf(terms));
    counters.grams.count(at, gramsOf(text));
  });
  return {
    terms: counters.terms.shares(weights),
    pairs: counters.pairs.shares(),
    grams: counters.grams.shares(),
    names: names.size === 0 ? null : counters.names.shares(),
    lead: counters.lead.shares(weights),
  };
}

/** What occurrences of a term count for, in a text of this length beside the mean: 0 to k1 + 1. */
export function bm25Saturation(count: number, relativeLength: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B + B * relativeLength));
}

function* pairsOf(terms: readonly string[]): Generator<string> {
  for (let at = 1; at < terms.length; at++) yield `${terms[at - 1]} ${terms[at]}`;
}

/** Counts the features of a question in texts. */
class FeatureCounter {
  readonly #texts: number;
  /** Of each feature of the question, how often each text has it. */
  readonly #counts: ReadonlyMap<string, Uint32Array>;
  readonly #lengths: Float64Array;

  constructor(features: ReadonlySet<string>, texts: number) {
    this.#texts = texts;
    this.#counts = new Map(Array.from(features, (feature) => [feature, new Uint32Array(texts)]));
    this.#lengths = new Float64Array(texts);
  }

  count(text: number, features: Iterable<string>): void {
    let length = 0;
    for (const feature of features) {
      length++;
      const counts = this.#counts.get(feature);
      if (counts !== undefined) counts[text] = (counts[text] ?? 0) + 1;
    }
    this.#lengths[text] = length;
  }

  /** @param weights of features whose rarity is known */
  shares(weights: TermWeights = new Map()): Float64Array {
    const shares = new Float64Array(this.#texts);
    const lengthMean = this.#lengths.reduce((sum, length) => sum + length, 0) / this.#texts || 1;
    let whole = 0;
    for (const [feature, counts] of this.#counts) {
      const holders = counts.reduce((sum, count) => sum + Math.min(1, count), 0);
      const rarity = weights.get(feature) ?? Math.log(1 + (this.#texts - holders + 0.5) / (holders + 0.5));
      whole += rarity * (K1 + 1);
      for (const [text, count] of counts.entries()) {
        const saturation = bm25Saturation(count, (this.#lengths[text] ?? 0) / lengthMean);
        shares[text] = (shares[text] ?? 0) + rarity * saturation;
      }
    }
    return whole === 0 ? shares : shares.map((share) => share / whole);
  }
}
