// The terms and statistics that a query needs of a namespace, gathered from all its records, one after the other.
import { AUTOMATON_EXPANSIONS_MAX } from '../query-limits.ts';
import type { QuerySteps } from '../query-steps.ts';
import type { TextQuery } from '../text-query.ts';
import type { FieldStatistics } from './bm25.ts';
import type { NamespaceTerms, TermKey } from './bound-query.ts';
import { tooManyTerms } from './expand-terms.ts';
import type { RecordAnalysis } from './record-analysis.ts';
import {
  boundedExpansion,
  type ExpandingQuery,
  type Expansion,
  expansionOf,
  matchesTerm,
} from './term-matcher.ts';

/** Steps of a term that is tested by a leaf. */
const STEPS_A_TERM = 40;
/** Terms of a prefix that are kept beyond those that count, so that they are seldom put in order. */
const SPARE_TERMS = 64;

/** Terms of a field that are known to be tested. */
const SEEN_TERMS_MAX = 50_000;

/** What a leaf stands for in the records so far. */
interface GatheredExpansion {
  readonly expansion: Expansion;
  readonly terms: Set<string>;
}

interface ExpandingField {
  readonly leaves: readonly GatheredExpansion[];
  readonly seen: Set<string>;
}

/** Holds what the query's leaves ask for, however many terms the records have. */
export class GatheredTerms implements NamespaceTerms {
  #records = 0;
  readonly #tokens = new Map<string, number>();
  /** Records that have a term, by field and term. */
  readonly #holders = new Map<string, Map<string, number>>();
  /** The terms that match each leaf, by leaf. */
  readonly #expansions = new Map<ExpandingQuery, GatheredExpansion>();
  readonly #expanding: ReadonlyMap<string, ExpandingField>;
  readonly #steps: QuerySteps;

  /** @param steps what testing terms is charged to */
  constructor(query: TextQuery, steps: QuerySteps) {
    this.#steps = steps;
    this.#prepare(query);
    const byField = Map.groupBy(this.#expansions, ([{ field }]) => field);
    this.#expanding = new Map(
      Array.from(byField, ([field, each]) => [
        field,
        { leaves: each.map(([, gathered]) => gathered), seen: new Set() },
      ]),
    );
  }

  /** Counts one live record. @throws invalid-argument when a leaf stands for too many terms, or for too many steps */
  add(record: RecordAnalysis): void {
    this.#records++;
    for (const [field, { length }] of record)
      this.#tokens.set(field, (this.#tokens.get(field) ?? 0) + length);
    for (const [field, holders] of this.#holders) countHolders(holders, record.get(field)?.terms);
    for (const [field, expanding] of this.#expanding) this.#testAll(expanding, record.get(field)?.terms);
  }

  statistics(field: string): FieldStatistics {
    return { records: this.#records, tokens: this.#tokens.get(field) ?? 0 };
  }

  holders({ field, term }: TermKey): number {
    return this.#holders.get(field)?.get(term) ?? 0;
  }

  expand(query: ExpandingQuery): readonly string[] {
    const found = this.#expansions.get(query);
    return found === undefined ? [] : boundedExpansion(found.expansion, [...found.terms]);
  }

  /** Tests each term once, as long as there is space to know that. */
  #testAll({ leaves, seen }: ExpandingField, terms: ReadonlyMap<string, unknown> | undefined): void {
    for (const term of terms?.keys() ?? []) {
      if (seen.has(term)) continue;
      if (seen.size === SEEN_TERMS_MAX) seen.clear();
      seen.add(term);
      this.#steps.take(STEPS_A_TERM * leaves.length);
      for (const { expansion, terms: found } of leaves)
        if (matchesTerm(expansion, term)) addBounded(found, term, expansion);
    }
  }

  #prepare(query: TextQuery): void {
    switch (query.kind) {
      case 'all':
      case 'none':
        break;
      case 'term':
        this.#countTerm(query);
        break;
      case 'phrase':
        for (const { term } of query.terms) this.#countTerm({ field: query.field, term });
        break;
      case 'phrasePrefix':
      case 'fuzzy':
      case 'regex':
        this.#expansions.set(query, { expansion: expansionOf(query), terms: new Set() });
        break;
      case 'boost':
        this.#prepare(query.query);
        break;
      case 'bool':
        for (const part of [...query.must, ...query.should, ...query.mustNot]) this.#prepare(part);
    }
  }

  #countTerm({ field, term }: TermKey): void {
    const holders = this.#holders.get(field) ?? new Map<string, number>();
    this.#holders.set(field, holders);
    holders.set(term, 0);
  }
}

/** Adds one for each term that a record has: by the fewer of both. */
function countHolders(
  holders: Map<string, number>,
  terms: ReadonlyMap<string, readonly number[]> | undefined,
): void {
  if (terms === undefined) return;
  const fewer = terms.size < holders.size ? terms : holders;
  for (const term of fewer.keys()) {
    const count = holders.get(term);
    if (count !== undefined && terms.has(term)) holders.set(term, count + 1);
  }
}

/** @throws invalid-argument for more terms of an automaton than count */
function addBounded(terms: Set<string>, term: string, expansion: Expansion): void {
  terms.add(term);
  if (expansion.kind === 'automaton') {
    if (terms.size > AUTOMATON_EXPANSIONS_MAX) throw tooManyTerms();
  } else if (terms.size > 2 * expansion.termsMax + SPARE_TERMS) {
    const first = boundedExpansion(expansion, [...terms]);
    terms.clear();
    for (const each of first) terms.add(each);
  }
}
