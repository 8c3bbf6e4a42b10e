// The terms and statistics that a query needs of a namespace, gathered from all its records, one after the other.
import type { TextQuery } from '../text-query.ts';
import type { FieldStatistics } from './bm25.ts';
import type { NamespaceTerms, TermKey } from './bound-query.ts';
import type { RecordAnalysis } from './record-analysis.ts';
import {
  boundedExpansion,
  type ExpandingQuery,
  type Expansion,
  expansionOf,
  matchesTerm,
} from './term-matcher.ts';

/** Holds what the query's leaves ask for, however many terms the records have. */
export class GatheredTerms implements NamespaceTerms {
  #records = 0;
  readonly #tokens = new Map<string, number>();
  /** Records that have a term, by field and term. */
  readonly #holders = new Map<string, Map<string, number>>();
  /** The terms that match each leaf, by leaf. */
  readonly #expansions = new Map<
    ExpandingQuery,
    { readonly expansion: Expansion; readonly terms: Set<string> }
  >();

  constructor(query: TextQuery) {
    this.#prepare(query);
  }

  /** Counts one live record. */
  add(record: RecordAnalysis): void {
    this.#records++;
    for (const [field, { length }] of record)
      this.#tokens.set(field, (this.#tokens.get(field) ?? 0) + length);
    for (const [field, holders] of this.#holders) {
      const terms = record.get(field)?.terms;
      for (const [term, count] of holders) if (terms?.has(term)) holders.set(term, count + 1);
    }
    for (const [{ field }, { expansion, terms }] of this.#expansions)
      for (const term of record.get(field)?.terms.keys() ?? [])
        if (matchesTerm(expansion, term)) terms.add(term);
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
