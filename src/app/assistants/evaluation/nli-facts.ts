// Judges facts by a model of natural language inference beside words: each has half the say.
import type { NliProbabilities } from '../../../domain/inference/port.ts';
import { contentWords } from '../content-words.ts';
import type { JudgedFact } from './entailment.ts';

/** Judges hypotheses by a premise, in their order. */
export type Infer = (premise: string, hypotheses: readonly string[]) => Promise<readonly NliProbabilities[]>;

export interface OtherText {
  readonly question: string;
  readonly text: string;
  /** Its clauses, in order. */
  readonly clauses: readonly string[];
}

/** A pair takes a tenth of a second or so; facts beyond are judged by words alone. */
const FACTS_MAX = 32;
/** Longer texts do not fit into small models: the clauses nearest to the fact stand for them. */
const PREMISE_CHARACTERS_MAX = 1_000;
const HALF = 0.5;

/**
 * Adds the judgement of a model to that of words. The question stands before both texts, so that bare answers
 * ("Paris.") say something. Words compare numbers and units, which small models get wrong; the model knows negations,
 * opposites and other words for the same.
 * @param facts judged by words
 */
export async function judgedWithModel(
  facts: readonly JudgedFact[],
  other: OtherText,
  infer: Infer,
): Promise<readonly JudgedFact[]> {
  const said = new Set(other.clauses);
  // What the other text says in the same words needs no model.
  const modelled = facts.filter(({ fact }) => !said.has(fact)).slice(0, FACTS_MAX);
  const verdicts = await verdictsOf(modelled, other, infer);
  const byFact = new Map(modelled.map((judged, at) => [judged, verdicts[at]]));
  return facts.map((judged) => {
    const verdict = byFact.get(judged);
    return verdict === undefined ? judged : combined(judged, verdict);
  });
}

async function verdictsOf(
  facts: readonly JudgedFact[],
  other: OtherText,
  infer: Infer,
): Promise<readonly NliProbabilities[]> {
  if (facts.length === 0) return [];
  const { question, text } = other;
  const hypotheses = facts.map(({ fact }) => `${question} ${fact}`);
  if (text.length <= PREMISE_CHARACTERS_MAX) return await infer(`${question} ${text}`, hypotheses);
  const verdicts: NliProbabilities[] = [];
  for (const [at, { fact }] of facts.entries()) {
    const premise = `${question} ${excerptFor(fact, other.clauses)}`;
    verdicts.push(...(await infer(premise, [hypotheses[at] ?? ''])));
  }
  return verdicts;
}

/** The clauses that share the most words with a fact, in the order of the text. */
function excerptFor(fact: string, clauses: readonly string[]): string {
  const words = contentWords(fact);
  const nearest = clauses
    .map((clause, at) => ({ clause, at, shared: contentWords(clause).intersection(words).size }))
    .sort((a, b) => b.shared - a.shared || a.at - b.at);
  let room = PREMISE_CHARACTERS_MAX;
  const kept = nearest.filter(({ clause }) => {
    room -= clause.length + 1;
    return room >= 0;
  });
  return (kept.length === 0 ? nearest.slice(0, 1) : kept)
    .sort((a, b) => a.at - b.at)
    .map(({ clause }) => clause)
    .join(' ');
}

function combined({ fact, entailment, support }: JudgedFact, verdict: NliProbabilities): JudgedFact {
  const byModel = verdict.entailment + verdict.neutral / 2;
  const both = (support + byModel) / 2;
  if (both >= HALF) return { fact, entailment: 'entailed', support: both };
  const isDenied = entailment === 'contradicted' || verdict.contradiction > HALF;
  return { fact, entailment: isDenied ? 'contradicted' : 'neutral', support: both };
}
