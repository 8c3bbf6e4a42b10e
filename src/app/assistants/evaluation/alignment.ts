// Rates by their words how well an answer agrees with the ground truth: without a model, always with the same result.
import { contentWords } from '../content-words.ts';
import { type Clause, clausesOf, conceptsIn, lowerCaseWords, TEXT_CHARACTERS_MAX } from './clauses.ts';
import { type Entailment, type JudgedFact, judged, type Question } from './entailment.ts';
import { type Infer, judgedWithModel } from './nli-facts.ts';
import { quantitiesIn } from './quantities.ts';

export { TEXT_CHARACTERS_MAX } from './clauses.ts';
export { ENTAILMENTS, type Entailment } from './entailment.ts';

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
  /** How much of what the answer says the truth has, 0 to 1. */
  readonly correctness: number;
  /** How much of what the truth says the answer has, 0 to 1. */
  readonly completeness: number;
  /** Their harmonic mean; 0 when both are 0. */
  readonly alignment: number;
  /** Facts of the truth, judged by the answer. */
  readonly facts: readonly EvaluatedFact[];
}

/** An answer may say what nobody asked: such facts weigh little beside those that the truth has or denies. */
const EXTRA_WEIGHT = 0.1;
/** Likewise the truth, where the question asks for one thing. */
const MISSED_WEIGHT = 0.5;

const YES_NO = /^\W*(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|may|must)\b/i;
const QUANTITY =
  /\b(?:how (?:many|much|long|old|far|tall|high|big|large|often|deep|heavy|fast|wide|soon)|when|(?:what|which) (?:year|date|time|percentage|share|number|price|age|speed|temperature|distance))\b/i;
const NAME =
  /\b(?:who|whom|whose|where|which|what (?:city|cities|country|company|capital|language|person|river|is the capital|is the name))\b/i;

/**
 * Each clause is a fact. A text has a fact if it has most of what the fact adds to the question - numbers and names
 * above all - and contradicts it if it gives another number or name, denies it, or turns the roles around. Otherwise
 * it is neutral, and counts for the part that it has.
 * @param infer a model that judges the facts, too; null for words alone
 */
export async function alignmentOf(
  { question, answer, groundTruth }: Evaluated,
  infer: Infer | null = null,
): Promise<Alignment> {
  const read = readQuestion(question);
  const lower = new Set([question, answer, groundTruth].flatMap((text) => [...lowerCaseWords(text)]));
  const said = await clausesOf(answer, lower);
  const truth = await clausesOf(groundTruth, lower);
  const judgedBy = async (facts: readonly Clause[], others: readonly Clause[], text: string) => {
    const byWords = await judged(facts, others, read);
    if (infer === null) return byWords;
    return await judgedWithModel(
      byWords,
      { question, text, clauses: others.map((each) => each.text) },
      infer,
    );
  };
  const truthFacts = await judgedBy(truth, said, answer);
  const correctness = weightedShare(await judgedBy(said, truth, groundTruth), EXTRA_WEIGHT);
  const completeness = weightedShare(truthFacts, read.kind === 'other' ? 1 : MISSED_WEIGHT);
  return {
    ...scores(correctness, completeness),
    facts: truthFacts.map(({ fact, entailment }) => ({ fact, entailment })),
  };
}

/** Computes the scores from facts that a model judged. */
export function alignmentFrom({
  truth,
  answer,
}: {
  /** Facts of the truth, judged by the answer. */
  readonly truth: readonly EvaluatedFact[];
  /** Facts of the answer, judged by the truth. */
  readonly answer: readonly EvaluatedFact[];
}): Alignment {
  return { ...scores(entailedShare(answer), entailedShare(truth)), facts: truth };
}

function scores(correctness: number, completeness: number) {
  const sum = correctness + completeness;
  return { correctness, completeness, alignment: sum === 0 ? 0 : (2 * correctness * completeness) / sum };
}

function readQuestion(question: string): Question {
  const text = question.slice(0, TEXT_CHARACTERS_MAX);
  const { found, words } = quantitiesIn(text);
  return {
    words: contentWords(text).difference(words),
    quantities: found,
    kind: kindOf(text),
    concepts: conceptsIn(text),
  };
}

function kindOf(question: string): Question['kind'] {
  if (YES_NO.test(question) && !/\bor\b/i.test(question)) return 'yes-no';
  if (QUANTITY.test(question)) return 'quantity';
  return NAME.test(question) ? 'name' : 'other';
}

function weightedShare(facts: readonly JudgedFact[], neutralWeight: number): number {
  let all = 0;
  let held = 0;
  for (const { entailment, support } of facts) {
    const weight = entailment === 'neutral' ? neutralWeight : 1;
    all += weight;
    held += weight * support;
  }
  return all === 0 ? 0 : held / all;
}

function entailedShare(facts: readonly EvaluatedFact[]): number {
  if (facts.length === 0) return 0;
  return facts.filter(({ entailment }) => entailment === 'entailed').length / facts.length;
}
