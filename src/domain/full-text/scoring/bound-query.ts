// A text query bound to the terms and statistics of a namespace: what engines evaluate on one record after the other.
import type { QuerySteps } from '../query-steps.ts';
import type { PhraseTerm, TextQuery } from '../text-query.ts';
import { type FieldStatistics, inverseDocumentFrequency, saturation } from './bm25.ts';
import { boosted, roundedScore } from './boosted.ts';
import { PhraseMatches, type PhrasePart } from './phrase-matches.ts';
import type { ExpandingQuery } from './term-matcher.ts';

export interface TermKey {
  readonly field: string;
  readonly term: string;
}

/** The terms of the live records of a namespace. */
export interface NamespaceTerms {
  statistics(field: string): FieldStatistics;
  /** How many records have the term in the field. */
  holders(key: TermKey): number;
  /** The terms that a leaf stands for. @throws invalid-argument for too many */
  expand(query: ExpandingQuery): readonly string[];
}

/** The occurrences of the terms of a query in one record. */
export interface RecordTerms {
  /** What looks at the positions of phrases are charged to. */
  readonly steps: QuerySteps;
  /** How often the record has term number `term` of the query. */
  occurrences(term: number): number;
  /** Tokens of the field of that term. */
  length(term: number): number;
  /** Positions of that term, ascending. */
  positions(term: number): readonly number[];
  /** Whether the record matches a node, where that is known without its terms. */
  matches?(node: AnyOf): boolean | undefined;
}

/** A term of a phrase, by its number among the terms of the query. */
export interface BoundPhraseTerm {
  readonly term: number;
  readonly offset: number;
}

interface Scored {
  /** The sum of the inverse document frequencies. */
  readonly weight: number;
  /** Whether each term is in the field of some record. */
  readonly isHeld: boolean;
  readonly statistics: FieldStatistics;
}

/** Any of the terms, right after the phrase; the phrase may be empty. Scores 1. */
export interface AnyOf {
  readonly kind: 'anyOf';
  readonly phrase: readonly BoundPhraseTerm[];
  readonly lasts: readonly BoundPhraseTerm[];
}

export type BoundNode =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | ({ readonly kind: 'term'; readonly term: number } & Scored)
  | ({ readonly kind: 'phrase'; readonly terms: readonly BoundPhraseTerm[]; readonly slop: number } & Scored)
  | AnyOf
  | { readonly kind: 'boost'; readonly factor: number; readonly node: BoundNode }
  | {
      readonly kind: 'bool';
      readonly must: readonly BoundNode[];
      readonly should: readonly BoundNode[];
      readonly mustNot: readonly BoundNode[];
    };

export interface BoundQuery {
  /** Of every field that the query names and that scores depend on. */
  readonly statistics: readonly (readonly [field: string, statistics: FieldStatistics])[];
  /** The distinct terms, by number. */
  readonly terms: readonly TermKey[];
  readonly root: BoundNode;
}

/** @throws invalid-argument when an expansion stands for too many terms */
export function bindQuery(query: TextQuery, namespace: NamespaceTerms): BoundQuery {
  const binder = new Binder(namespace);
  return { root: binder.bind(query), terms: binder.terms, statistics: [...binder.statistics] };
}

/** The score of a record, rounded to 32 bits so that equal records tie; null when it does not match. */
export function scoreRecord({ root }: Pick<BoundQuery, 'root'>, record: RecordTerms): number | null {
  const score = scoreOf(root, record);
  return score === null ? null : roundedScore(score);
}

/** Whether a record matches: as `scoreRecord`, without a look at more than that needs. */
export function matchesRecord({ root }: Pick<BoundQuery, 'root'>, record: RecordTerms): boolean {
  return isMatch(root, record);
}

class Binder {
  readonly terms: TermKey[] = [];
  readonly statistics = new Map<string, FieldStatistics>();
  readonly #namespace: NamespaceTerms;
  /** By field, then by term. */
  readonly #numbers = new Map<string, Map<string, number>>();

  constructor(namespace: NamespaceTerms) {
    this.#namespace = namespace;
  }

  bind(query: TextQuery): BoundNode {
    switch (query.kind) {
      case 'all':
      case 'none':
        return { kind: query.kind };
      case 'term':
        return { kind: 'term', term: this.#numberOf(query), ...this.#weighed(query.field, [query.term]) };
      case 'phrase': {
        const { field, slop } = query;
        const scored = this.#weighed(
          field,
          query.terms.map(({ term }) => term),
        );
        return { kind: 'phrase', terms: this.#byRarity(field, query.terms), slop, ...scored };
      }
      case 'phrasePrefix':
      case 'fuzzy':
      case 'regex':
        return this.#bindExpansion(query);
      case 'boost':
        return { kind: 'boost', factor: query.factor, node: this.bind(query.query) };
      case 'bool': {
        const [must, should, mustNot] = [query.must, query.should, query.mustNot].map((each) =>
          each.map((part) => this.bind(part)),
        );
        return { kind: 'bool', must: must ?? [], should: should ?? [], mustNot: mustNot ?? [] };
      }
    }
  }

  #bindExpansion(query: ExpandingQuery): BoundNode {
    const { field } = query;
    const before = query.kind === 'phrasePrefix' ? query.terms.slice(0, -1) : [];
    const offset = query.kind === 'phrasePrefix' ? (query.terms.at(-1)?.position ?? 0) : 0;
    const lasts = this.#namespace
      .expand(query)
      .map((term) => ({ term: this.#numberOf({ field, term }), offset }));
    return lasts.length === 0
      ? { kind: 'none' }
      : { kind: 'anyOf', phrase: this.#phrase(field, before), lasts };
  }

  /** The rarest first, as `countPhrases` wants them. */
  #byRarity(field: string, terms: readonly PhraseTerm[]): readonly BoundPhraseTerm[] {
    const holders = ({ term }: PhraseTerm) => this.#namespace.holders({ field, term });
    return this.#phrase(
      field,
      terms.toSorted((a, b) => holders(a) - holders(b)),
    );
  }

  #phrase(field: string, terms: readonly PhraseTerm[]): readonly BoundPhraseTerm[] {
    return terms.map(({ term, position }) => ({ term: this.#numberOf({ field, term }), offset: position }));
  }

  #weighed(field: string, terms: readonly string[]): Scored {
    const statistics = this.statistics.get(field) ?? this.#namespace.statistics(field);
    this.statistics.set(field, statistics);
    const holders = terms.map((term) => this.#namespace.holders({ field, term }));
    const weights = holders.map((each) => inverseDocumentFrequency(each, statistics.records));
    const weight = weights.reduce((sum, each) => sum + each, 0);
    return { weight, isHeld: holders.every((each) => each > 0), statistics };
  }

  #numberOf({ field, term }: TermKey): number {
    let numbers = this.#numbers.get(field);
    if (numbers === undefined) {
      numbers = new Map();
      this.#numbers.set(field, numbers);
    }
    const known = numbers.get(term);
    if (known !== undefined) return known;
    numbers.set(term, this.terms.length);
    return this.terms.push({ field, term }) - 1;
  }
}

function scoreOf(node: BoundNode, record: RecordTerms): number | null {
  switch (node.kind) {
    case 'all':
      return 1;
    case 'none':
      return null;
    case 'term':
      return saturated(node, record.occurrences(node.term), record.length(node.term));
    case 'phrase': {
      const [first] = node.terms;
      const occurrences = frequencyOf(node, record);
      return first === undefined ? null : saturated(node, occurrences, record.length(first.term));
    }
    case 'anyOf':
      return isMatch(node, record) ? 1 : null;
    case 'boost': {
      const score = scoreOf(node.node, record);
      return score === null ? null : boosted(score, node.factor);
    }
    case 'bool':
      return scoreOfBool(node, record);
  }
}

function saturated({ weight, statistics }: Scored, occurrences: number, length: number): number | null {
  return occurrences === 0 ? null : weight * saturation(occurrences, length, statistics);
}

function scoreOfBool(
  { must, should, mustNot }: Extract<BoundNode, { readonly kind: 'bool' }>,
  record: RecordTerms,
): number | null {
  let sum = 0;
  for (const node of must) {
    const score = scoreOf(node, record);
    if (score === null) return null;
    sum += score;
  }
  if (mustNot.some((node) => isMatch(node, record))) return null;
  let isAny = must.length > 0;
  for (const node of should) {
    const score = scoreOf(node, record);
    if (score === null) continue;
    sum += score;
    isAny = true;
  }
  return isAny ? sum : null;
}

function isMatch(node: BoundNode, record: RecordTerms): boolean {
  switch (node.kind) {
    case 'all':
      return true;
    case 'none':
      return false;
    case 'term':
      return record.occurrences(node.term) > 0;
    case 'phrase':
      return phraseIn(node, record)?.next() ?? false;
    case 'anyOf':
      return record.matches?.(node) ?? isAnyIn(node, record);
    case 'boost':
      return isMatch(node.node, record);
    case 'bool': {
      const { must, should, mustNot } = node;
      if (!must.every((part) => isMatch(part, record))) return false;
      if (must.length === 0 && !should.some((part) => isMatch(part, record))) return false;
      return !mustNot.some((part) => isMatch(part, record));
    }
  }
}

type Phrase = Pick<Extract<BoundNode, { readonly kind: 'phrase' }>, 'terms' | 'slop'>;

function frequencyOf(phrase: Phrase, record: RecordTerms): number {
  const matches = phraseIn(phrase, record);
  let count = 0;
  while (matches?.next()) count++;
  return count;
}

/** The occurrences of a phrase; null where it lacks a term. */
function phraseIn({ terms, slop }: Phrase, record: RecordTerms): PhraseMatches | null {
  const parts = partsIn(terms, record);
  return parts === null ? null : new PhraseMatches(parts, slop, record.steps);
}

/** Where the terms of a phrase are; null where one is missing. */
function partsIn(terms: readonly BoundPhraseTerm[], record: RecordTerms): readonly PhrasePart[] | null {
  record.steps.take(terms.length / TERMS_A_STEP);
  const distinct = new Set(terms.map(({ term }) => term));
  // Positions are read only where every term occurs, and once.
  for (const term of distinct) if (record.occurrences(term) === 0) return null;
  const positions = new Map(Array.from(distinct, (term) => [term, record.positions(term)]));
  return terms.map(({ term, offset }) => ({ positions: positions.get(term) ?? [], offset }));
}

/** Terms of a phrase that are looked through in the time of a step. */
const TERMS_A_STEP = 4;

function isAnyIn({ phrase, lasts }: AnyOf, record: RecordTerms): boolean {
  const parts = partsIn(phrase, record);
  if (parts === null) return false;
  const present = lasts.filter(({ term }) => record.occurrences(term) > 0);
  const [last] = present;
  if (phrase.length === 0 || last === undefined) return last !== undefined;
  // What any of them occurs at is looked for once; all have the same offset.
  const positions = present.flatMap(({ term }) => record.positions(term)).sort((a, b) => a - b);
  record.steps.take(positions.length);
  return new PhraseMatches([...parts, { positions, offset: last.offset }], 0, record.steps).next();
}
