// Judges a fact of one text by another text: entailed, contradicted or neutral.
import { inTurns } from '../../../platform/turns.ts';
import type { Clause } from './clauses.ts';
import { isSameQuantity, type Quantity } from './quantities.ts';
import { isTurned } from './roles.ts';

export const ENTAILMENTS = ['entailed', 'contradicted', 'neutral'] as const;
export type Entailment = (typeof ENTAILMENTS)[number];

export interface JudgedFact {
  readonly fact: string;
  readonly entailment: Entailment;
  /** How far the other text has what the fact says, 0 to 1; by words, an entailed fact has 1. */
  readonly support: number;
}

/** The question, as far as judging needs it. */
export interface Question {
  readonly words: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
  /** What kind of answer it asks for. */
  readonly kind: 'yes-no' | 'quantity' | 'name' | 'other';
  /** Words of the alternatives that it offers: "Did it rise or fall?" */
  readonly concepts: ReadonlyMap<string, 1 | -1>;
}

/** Compared per text; more do not occur in answers. */
const QUANTITIES_MAX = 500;
/** From this support on a text has a fact. */
const HELD_MIN = 0.5;
/** Below it, a text that says something else of the same matter contradicts. */
const MISSED_MAX = 0.34;

interface Weights {
  readonly quantity: number;
  readonly name: number;
  readonly word: number;
}
/** The kind of thing that a question asks for decides; names and numbers weigh more than words, which get rephrased. */
const WEIGHTS: Readonly<Record<Question['kind'], Weights>> = {
  quantity: { quantity: 4, name: 1.5, word: 0.5 },
  name: { quantity: 2, name: 3, word: 1 },
  'yes-no': { quantity: 2, name: 2, word: 1 },
  other: { quantity: 2, name: 2, word: 1 },
};

interface WholeText {
  readonly clauses: readonly Clause[];
  readonly nearestTo: (fact: Clause) => Clause | undefined;
  readonly words: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
  /** Clauses of one word, as in lists. */
  readonly items: readonly string[];
  readonly concepts: ReadonlyMap<string, 1 | -1>;
  /** Yes or no, where the question asks for it. */
  readonly polarity: 'yes' | 'no' | null;
}

export function judged(
  facts: readonly Clause[],
  others: readonly Clause[],
  question: Question,
): Promise<readonly JudgedFact[]> {
  const own = wholeText(facts, question);
  const other = wholeText(others, question);
  return inTurns(facts, (fact) => ({ fact: fact.text, ...judgedFact(fact, { own, other, question }) }));
}

interface Context {
  readonly own: WholeText;
  readonly other: WholeText;
  readonly question: Question;
}

function judgedFact(fact: Clause, { own, other, question }: Context): Omit<JudgedFact, 'fact'> {
  if (question.kind === 'yes-no' && own.polarity !== null && other.polarity !== null) {
    if (own.polarity !== other.polarity) return { entailment: 'contradicted', support: 0 };
    const addsNothing = newWords(fact, question).length === 0 && fact.quantities.length === 0;
    if (addsNothing || other.clauses.every(isBareReply)) return { entailment: 'entailed', support: 1 };
  }
  const nearest = other.nearestTo(fact);
  const support = hasSameRoles(nearest?.roles, fact.roles)
    ? 1
    : Math.max(supportOf(fact, other, question), agrees(fact, own, other) ? HELD_MIN : 0);
  if (nearest !== undefined && contradicts(nearest, fact, { own, other, question, support })) {
    return { entailment: 'contradicted', support: 0 };
  }
  return support >= HELD_MIN ? { entailment: 'entailed', support: 1 } : { entailment: 'neutral', support };
}

/** Both answer yes, or both no: what else a text says then is not what the question asks for. */
function agrees(fact: Clause, own: WholeText, other: WholeText): boolean {
  return own.polarity !== null && own.polarity === other.polarity && fact === own.clauses[0];
}

/** A clause of nothing but yes or no. */
function isBareReply({ reply, words, quantities }: Clause): boolean {
  return reply !== null && words.size <= 1 && quantities.length === 0;
}

function supportOf(fact: Clause, other: WholeText, question: Question): number {
  const weights = WEIGHTS[question.kind];
  let all = 0;
  let held = 0;
  const add = (weight: number, isHeld: boolean): void => {
    all += weight;
    if (isHeld) held += weight;
  };
  for (const quantity of newQuantities(fact.quantities, question.quantities)) {
    add(
      weights.quantity,
      other.quantities.some((each) => isSameQuantity(each, quantity)),
    );
  }
  for (const word of newWords(fact, question)) {
    const isHeld = other.words.has(word) || hasConceptOf(word, fact, other);
    add(fact.names.has(word) ? weights.name : weights.word, isHeld);
  }
  if (all > 0) return held / all;
  // A fact that only repeats the question is judged by all that it says.
  for (const word of fact.words) add(1, other.words.has(word));
  for (const quantity of fact.quantities) {
    add(
      1,
      other.quantities.some((each) => isSameQuantity(each, quantity)),
    );
  }
  return all === 0 ? 0 : held / all;
}

/** True where the other text says the same with another word of the same concept. */
function hasConceptOf(word: string, fact: Clause, other: WholeText): boolean {
  for (const [concept, sign] of fact.concepts) {
    if (fact.conceptWords.get(word) === concept && other.concepts.get(concept) === sign) return true;
  }
  return false;
}

function contradicts(
  nearest: Clause,
  fact: Clause,
  { support, ...context }: Context & { readonly support: number },
): boolean {
  const { question } = context;
  if (saysOtherNumber(nearest, fact, context) || saysOtherName(nearest, fact, context)) return true;
  if (hasTurnedRoles(nearest, fact) || isTurned(nearest, fact)) return true;
  const isSameMatter = shared(fact.words, nearest.words) > 0;
  if (isOpposed(nearest, fact, question, isSameMatter)) return true;
  if (isOtherItem(fact, context)) return true;
  if (!isSameMatter) return false;
  const isPart = newWords(nearest, question).every((word) => fact.words.has(word));
  return support < MISSED_MAX && !isPart && newWords(fact, question).length > 0 && !saysNothing(nearest);
}

/** The other text gives another number of the same kind, and not this one. */
function saysOtherNumber(nearest: Clause, fact: Clause, { own, other, question }: Context): boolean {
  const missed = newQuantities(fact.quantities, question.quantities).filter(
    (quantity) => !other.quantities.some((each) => isSameQuantity(each, quantity)),
  );
  if (missed.length === 0) return false;
  const unmatched = newQuantities(nearest.quantities, question.quantities).filter(
    (quantity) => !own.quantities.some((each) => isSameQuantity(each, quantity)),
  );
  return unmatched.some(({ dimension }) =>
    missed.some((each) => each.dimension === dimension || each.dimension === '' || dimension === ''),
  );
}

function saysOtherName(nearest: Clause, fact: Clause, { own, other, question }: Context): boolean {
  const missed = newWords(fact, question).filter((word) => fact.names.has(word));
  if (missed.length === 0 || missed.every((name) => other.words.has(name))) return false;
  return newWords(nearest, question).some((word) => nearest.names.has(word) && !own.words.has(word));
}

/** An item of a list that the other text has not, where its list has an item that this one has not. */
function isOtherItem(fact: Clause, { own, other, question }: Context): boolean {
  const item = itemOf(fact, question);
  if (item === undefined || other.words.has(item)) return false;
  return other.items.some((each) => !own.words.has(each));
}

/** The word of a clause of one word. */
function itemOf({ words, quantities, reply }: Clause, question: Question): string | undefined {
  if (words.size !== 1 || quantities.length > 0 || reply !== null) return undefined;
  const [word] = words;
  return word !== undefined && question.words.has(word) ? undefined : word;
}

function hasSameRoles(a: Clause['roles'] | undefined, b: Clause['roles']): boolean {
  if (a === undefined || a === null || b === null) return false;
  return a.action === b.action && a.agent === b.agent && a.patient === b.patient;
}

function hasTurnedRoles({ roles: a }: Clause, { roles: b }: Clause): boolean {
  if (a === null || b === null || a.action !== b.action) return false;
  return a.agent === b.patient && a.patient === b.agent;
}

/** The same matter affirmed by one and denied by the other. */
function isOpposed(nearest: Clause, fact: Clause, question: Question, isSameMatter: boolean): boolean {
  for (const [concept, sign] of fact.concepts) {
    const said = nearest.concepts.get(concept);
    const isMeant = isSameMatter || question.concepts.has(concept);
    if (isMeant && said !== undefined && said !== sign && !isInRoles(concept, nearest, fact)) return true;
  }
  return (
    isSameMatter &&
    nearest.isNegated !== fact.isNegated &&
    (question.kind !== 'yes-no' || nearest.reply === null)
  );
}

/** "A is larger than B" and "B is smaller than A" agree: their roles, which are compared, have the sign. */
function isInRoles(concept: string, a: Clause, b: Clause): boolean {
  return a.roles?.action === concept && b.roles?.action === concept;
}

function saysNothing({ words }: Clause): boolean {
  return words.size === 0;
}

function newQuantities(quantities: readonly Quantity[], known: readonly Quantity[]): readonly Quantity[] {
  return quantities.filter((quantity) => !known.some((each) => isSameQuantity(each, quantity)));
}

function newWords({ words }: Clause, question: Question): readonly string[] {
  return [...words].filter((word) => !question.words.has(word));
}

function shared(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.intersection(others).size;
}

function wholeText(clauses: readonly Clause[], question: Question): WholeText {
  return {
    clauses,
    nearestTo: nearestFinder(clauses),
    words: new Set(clauses.flatMap(({ words }) => [...words])),
    quantities: distinct(clauses.flatMap(({ quantities }) => quantities)),
    items: clauses.flatMap((clause) => itemOf(clause, question) ?? []),
    concepts: new Map(clauses.flatMap(({ concepts }) => [...concepts])),
    polarity: question.kind === 'yes-no' ? polarityOf(clauses, question) : null,
  };
}

/** The first ones, each once: all pairs are compared. */
function distinct(quantities: readonly Quantity[]): readonly Quantity[] {
  const byKey = new Map(quantities.map((each) => [`${each.value} ${each.dimension}`, each]));
  return [...byKey.values()].slice(0, QUANTITIES_MAX);
}

/** Yes or no of a text that answers a question for it: what it begins with, else what its first clause says. */
function polarityOf(clauses: readonly Clause[], question: Question): 'yes' | 'no' | null {
  const [first] = clauses;
  if (first === undefined) return null;
  if (first.reply !== null) return first.reply;
  const said = [...question.concepts].filter(([concept]) => first.concepts.has(concept));
  if (said.length > 0) {
    const isDenied = said.some(([concept, sign]) => first.concepts.get(concept) !== sign);
    return isDenied === first.isNegated ? 'yes' : 'no';
  }
  if (shared(first.words, question.words) === 0) return null;
  return first.isNegated ? 'no' : 'yes';
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
    const counts = new Uint32Array(clauses.length);
    for (const word of words) for (const at of places.get(word) ?? []) counts[at] = (counts[at] ?? 0) + 1;
    const most = counts.reduce((max, count) => Math.max(max, count), 0);
    return clauses[counts.indexOf(most)];
  };
}
