// Ranks what two searches have found, by meaning and by words, with a closer look at the texts.
import { type SharedFeatures, sharedFeatures, type TermWeights } from './shared-features.ts';

export interface Candidate {
  /** What is compared with the question: names, headings, text. */
  readonly text: string;
  /** Null for what the search by meaning did not return. */
  readonly meaning: number | null;
}

/** Whose similarities the meanings are: their spread decides what they weigh. */
export type MeaningBy = 'built-in' | 'model';

export interface RankingOptions {
  readonly by: MeaningBy;
  /** Of the question's terms, where known. */
  readonly weights?: TermWeights | undefined;
}

/** Measured in bench/retrieval. */
const GRAMS_WEIGHT = 1;
const PAIRS_WEIGHT = 0.4;
const NAMES_WEIGHT = 0.2;
/** Beside a real model it was not measured, and counts nothing. */
const LEAD_WEIGHT = 0.8;
const LEXICAL_WEIGHT = 12;
const LEXICAL_POWER = 2.5;
/** The same beside a real model, whose similarities are spread from 0 to 1 among the candidates. */
const MODEL_LEXICAL_WEIGHT = 4;
const MODEL_LEXICAL_POWER = 2;

/**
 * Scores candidates for a question, 0 to 1 and higher for better.
 *
 * Built-in similarities are close to each other, and any two texts share some words: the power makes few words count for
 * nothing and most of the question's words for much. A model that is better at meaning is outweighed by less.
 */
export async function rankCandidates(
  question: string,
  candidates: readonly Candidate[],
  { by, weights }: RankingOptions,
): Promise<Float64Array> {
  const shared = await sharedFeatures(
    question,
    candidates.map(({ text }) => text),
    weights,
  );
  const lexical = lexicalShares(shared, by === 'model' ? 0 : LEAD_WEIGHT);
  const meaning = meanings(candidates);
  const near = by === 'model' ? spread(meaning) : meaning.map((each) => Math.max(0, each));
  const [weight, power] =
    by === 'model' ? [MODEL_LEXICAL_WEIGHT, MODEL_LEXICAL_POWER] : [LEXICAL_WEIGHT, LEXICAL_POWER];
  return near.map((each, at) => {
    const score = each + weight * (lexical[at] ?? 0) ** power;
    return score / (1 + score);
  });
}

/** What the texts share with the question, 0 to 1. */
function lexicalShares(
  { terms, pairs, grams, names, lead }: SharedFeatures,
  leadWeight: number,
): Float64Array {
  const namesWeight = names === null ? 0 : NAMES_WEIGHT;
  const whole = 1 + GRAMS_WEIGHT + PAIRS_WEIGHT + namesWeight + leadWeight;
  return terms.map((share, at) => {
    const others =
      GRAMS_WEIGHT * (grams[at] ?? 0) + PAIRS_WEIGHT * (pairs[at] ?? 0) + namesWeight * (names?.[at] ?? 0);
    return (share + others + leadWeight * (lead[at] ?? 0)) / whole;
  });
}

/** What the search by meaning did not return is at most as near as the last that it did. */
function meanings(candidates: readonly Candidate[]): Float64Array {
  const known = candidates.flatMap(({ meaning }) => (meaning === null ? [] : [meaning]));
  const last = known.length === 0 ? 0 : Math.min(...known);
  return Float64Array.from(candidates, ({ meaning }) => meaning ?? last);
}

/** From 0 for the least to 1 for the greatest. */
function spread(values: Float64Array): Float64Array {
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  return values.map((value) => (range > 0 ? (value - least) / range : 0));
}
