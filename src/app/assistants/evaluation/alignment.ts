// Rates by their words how well an answer agrees with the ground truth: without a model, always with the same result.

import { inTurns } from '../../../platform/turns.ts';
import { contentWords, shareContained } from '../content-words.ts';

export const ENTAILMENTS = ['entailed', 'contradicted', 'neutral'] as const;
export type Entailment = (typeof ENTAILMENTS)[number];

export interface Evaluated {
  readonly question: string;
  readonly answer: string;
  readonly groundTruth: string;
}

export interface EvaluatedFact {
  readonly fact: string;
  readonly entailment: Entailment;
}

export interface Alignment {
  /** Share of the answer's facts that the truth has, 0 to 1. */
  readonly correctness: number;
  /** Share of the truth's facts that the answer has, 0 to 1. */
  readonly completeness: number;
  /** Their harmonic mean; 0 when both are 0. */
  readonly alignment: number;
  /** Facts of the truth, judged by the answer. */
  readonly facts: readonly EvaluatedFact[];
}

/** Minimum share of a fact's own words, those not in the question, that the other text must contain. */
const HELD_MIN = 0.6;
export const TEXT_CHARACTERS_MAX = 32_000;
const FACTS_MAX = 1_000;
const BLANKS = /[^\S\n]+/g;
const CLAUSE_END = /(?<=[.!?])\s+|[;\n]+|,\s+(?:and\s+)?|\s+and\s+/i;
const NUMBERS = /\d+(?:[.,]\d+)*/g;
const NEGATIONS = /\b(?:not|no|never|none|neither|nor|without|cannot)\b|n't\b/i;

interface Clause {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  /** Words that are not in the question. */
  readonly own: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly isNegated: boolean;
}

/**
 * A fact is a clause with words beyond those of the question. A text entails it if it has most of
 * these words, all its numbers, and the same negation; a text contradicts it
 * if it treats the same matter with other words, numbers or negation. Otherwise the text is neutral.
 */
export async function alignmentOf({ question, answer, groundTruth }: Evaluated): Promise<Alignment> {
  const questionWords = contentWords(question.slice(0, TEXT_CHARACTERS_MAX));
  const said = await clausesOf(answer, questionWords);
  const truth = await clausesOf(groundTruth, questionWords);
  return alignmentFrom({ truth: await judged(truth, said), answer: await judged(said, truth) });
}

/** Computes the scores from the judged facts. */
export function alignmentFrom({
  truth,
  answer,
}: {
  /** Facts of the truth, judged by the answer. */
  readonly truth: readonly EvaluatedFact[];
  /** Facts of the answer, judged by the truth. */
  readonly answer: readonly EvaluatedFact[];
}): Alignment {
  const correctness = entailedShare(answer);
  const completeness = entailedShare(truth);
  const sum = correctness + completeness;
  const alignment = sum === 0 ? 0 : (2 * correctness * completeness) / sum;
  return { correctness, completeness, alignment, facts: truth };
}

async function clausesOf(text: string, questionWords: ReadonlySet<string>): Promise<readonly Clause[]> {
  const parts = text
    .slice(0, TEXT_CHARACTERS_MAX)
    // Collapses runs of blanks, on which the pattern would take quadratic time.
    .replace(BLANKS, ' ')
    .split(CLAUSE_END)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, FACTS_MAX);
  const read = await inTurns(parts, (part) => clauseOf(part, questionWords));
  const clauses = read.filter(({ words }) => words.size > 0);
  if (clauses.length === 0) return wordless(text.trim());
  const telling = clauses.filter(({ own, numbers }) => own.size > 0 || numbers.size > 0);
  // A text that only repeats the question is judged by the question's words.
  return telling.length > 0 ? telling : clauses.map((clause) => ({ ...clause, own: clause.words }));
}

/** A text of only stop words or signs is one fact, equal only to itself. */
function wordless(text: string): readonly Clause[] {
  const words = new Set([text.toLowerCase()]);
  return text === '' ? [] : [{ text, words, own: words, numbers: new Set(), isNegated: false }];
}

function clauseOf(text: string, questionWords: ReadonlySet<string>): Clause {
  const words = contentWords(text);
  return {
    text,
    words,
    own: words.difference(questionWords),
    numbers: new Set(text.match(NUMBERS) ?? []),
    isNegated: NEGATIONS.test(text),
  };
}

function judged(facts: readonly Clause[], others: readonly Clause[]): Promise<readonly EvaluatedFact[]> {
  const text: WholeText = {
    nearestTo: nearestFinder(others),
    words: new Set(others.flatMap(({ words }) => [...words])),
    numbers: new Set(others.flatMap(({ numbers }) => [...numbers])),
  };
  return inTurns(facts, (fact) => ({ fact: fact.text, entailment: entailmentOf(fact, text) }));
}

interface WholeText {
  readonly nearestTo: (fact: Clause) => Clause | undefined;
  readonly words: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
}

function entailmentOf(fact: Clause, { nearestTo, words, numbers }: WholeText): Entailment {
  const nearest = nearestTo(fact);
  const holds = shareContained(fact.own, words) >= HELD_MIN && fact.numbers.isSubsetOf(numbers);
  if (holds && nearest?.isNegated === fact.isNegated) return 'entailed';
  const isSameMatter = nearest !== undefined && shareContained(fact.words, nearest.words) > 0;
  return isSameMatter && saysOtherwise(nearest, fact) ? 'contradicted' : 'neutral';
}

/** False for a clause that merely says less. */
function saysOtherwise(clause: Clause, fact: Clause): boolean {
  const isPart = clause.own.isSubsetOf(fact.words) && clause.numbers.isSubsetOf(fact.numbers);
  return !isPart || clause.isNegated !== fact.isNegated;
}

/** Finds the first clause with the most words of a fact. Uses an index by word, since two texts have a million pairs. */
function nearestFinder(clauses: readonly Clause[]): (fact: Clause) => Clause | undefined {
  const places = new Map<string, number[]>();
  for (const [at, { words }] of clauses.entries()) {
    for (const word of words) {
      const known = places.get(word);
      if (known === undefined) places.set(word, [at]);
      else known.push(at);
    }
  }
  return ({ words }) => {
    const shared = new Uint32Array(clauses.length);
    for (const word of words) for (const at of places.get(word) ?? []) shared[at] = (shared[at] ?? 0) + 1;
    const most = shared.reduce((max, count) => Math.max(max, count), 0);
    return clauses[shared.indexOf(most)];
  };
}

function entailedShare(facts: readonly EvaluatedFact[]): number {
  if (facts.length === 0) return 0;
  return facts.filter(({ entailment }) => entailment === 'entailed').length / facts.length;
}
