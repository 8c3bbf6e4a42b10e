// How well an answer agrees with a true one, told by their words: no model, the same result every time.
import { shareHeld, tellingWords } from '../answering/telling-words.ts';

export type Entailment = 'entailed' | 'contradicted' | 'neutral';

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
  /** Facts of the truth, as the answer has them. */
  readonly facts: readonly EvaluatedFact[];
}

/** Of the words of a fact that the question does not have, so many must be in the other text. */
const HELD_MIN = 0.6;
const TEXT_CHARACTERS_MAX = 100_000;
const FACTS_MAX = 1_000;
const CLAUSE_END = /(?<=[.!?])\s+|[;\n]+|,\s+(?:and\s+)?|\s+and\s+/i;
const NUMBERS = /\d+(?:[.,]\d+)*/g;
const NEGATIONS = /\b(?:not|no|never|none|neither|nor|without|cannot)\b|n't\b/i;

interface Clause {
  readonly text: string;
  readonly words: ReadonlySet<string>;
  /** Words that the question does not give away. */
  readonly own: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly isNegated: boolean;
}

/**
 * A fact is a clause with words of its own, beyond those of the question. It is entailed by a text that has most of
 * these words, all its numbers, and says it in no negated clause where the fact is not negated; contradicted by one
 * that speaks of the same with other words, numbers or negation; else neutral.
 */
export function alignmentOf({ question, answer, groundTruth }: Evaluated): Alignment {
  const asked = tellingWords(question.slice(0, TEXT_CHARACTERS_MAX));
  const [said, truth] = [clausesOf(answer, asked), clausesOf(groundTruth, asked)];
  const facts = truth.map((fact) => ({ fact: fact.text, entailment: entailmentOf(fact, said) }));
  const correctness = entailedShare(said.map((fact) => entailmentOf(fact, truth)));
  const completeness = entailedShare(facts.map(({ entailment }) => entailment));
  const sum = correctness + completeness;
  return {
    correctness,
    completeness,
    alignment: sum === 0 ? 0 : (2 * correctness * completeness) / sum,
    facts,
  };
}

function clausesOf(text: string, asked: ReadonlySet<string>): readonly Clause[] {
  const clauses = text
    .slice(0, TEXT_CHARACTERS_MAX)
    .split(CLAUSE_END)
    .map((part) => clauseOf(part.trim(), asked))
    .filter(({ words }) => words.size > 0)
    .slice(0, FACTS_MAX);
  if (clauses.length === 0) return wordless(text.trim());
  const telling = clauses.filter(({ own, numbers }) => own.size > 0 || numbers.size > 0);
  // A text that only repeats the question is judged by these words.
  return telling.length > 0 ? telling : clauses.map((clause) => ({ ...clause, own: clause.words }));
}

/** A text of nothing but small words or signs is one fact, the same only as itself. */
function wordless(text: string): readonly Clause[] {
  const words = new Set([text.toLowerCase()]);
  return text === '' ? [] : [{ text, words, own: words, numbers: new Set(), isNegated: false }];
}

function clauseOf(text: string, asked: ReadonlySet<string>): Clause {
  const words = tellingWords(text);
  return {
    text,
    words,
    own: words.difference(asked),
    numbers: new Set(text.match(NUMBERS) ?? []),
    isNegated: NEGATIONS.test(text),
  };
}

function entailmentOf(fact: Clause, others: readonly Clause[]): Entailment {
  const all = new Set(others.flatMap(({ words }) => [...words]));
  const numbers = new Set(others.flatMap((other) => [...other.numbers]));
  const nearest = nearestOf(fact, others);
  const holds = shareHeld(fact.own, all) >= HELD_MIN && fact.numbers.isSubsetOf(numbers);
  if (holds && nearest?.isNegated === fact.isNegated) return 'entailed';
  const isSameMatter = nearest !== undefined && shareHeld(fact.words, nearest.words) > 0;
  return isSameMatter ? 'contradicted' : 'neutral';
}

/** The clause that has most of the words of the fact. */
function nearestOf(fact: Clause, others: readonly Clause[]): Clause | undefined {
  const share = (other: Clause): number => shareHeld(fact.words, other.words);
  return others.reduce<Clause | undefined>(
    (best, other) => (best === undefined || share(other) > share(best) ? other : best),
    undefined,
  );
}

function entailedShare(found: readonly Entailment[]): number {
  if (found.length === 0) return 0;
  return found.filter((each) => each === 'entailed').length / found.length;
}
