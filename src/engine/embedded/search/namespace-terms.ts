// The terms of a namespace as its segments in memory have them, at the time of a snapshot.

import { AUTOMATON_EXPANSIONS_MAX } from '../../../domain/full-text/query-limits.ts';
import type { QuerySteps } from '../../../domain/full-text/query-steps.ts';
import type { FieldStatistics } from '../../../domain/full-text/scoring/bm25.ts';
import type { NamespaceTerms, TermKey } from '../../../domain/full-text/scoring/bound-query.ts';
import { tooManyTerms } from '../../../domain/full-text/scoring/expand-terms.ts';
import {
  boundedExpansion,
  type ExpandingQuery,
  expansionOf,
} from '../../../domain/full-text/scoring/term-matcher.ts';
import type { KnownExpansions } from '../text/accepted-terms.ts';
import type { Selection } from './selection.ts';

export interface SegmentsTermsOptions {
  /** Numbers of the text fields, by name. */
  readonly fields: ReadonlyMap<string, number>;
  readonly steps: QuerySteps;
  /** What earlier tries of the search have found. */
  readonly expansions: KnownExpansions;
}

export class SegmentsTerms implements NamespaceTerms {
  readonly #selections: readonly Selection[];
  readonly #fields: ReadonlyMap<string, number>;
  readonly #steps: QuerySteps;
  readonly #expansions: KnownExpansions;
  readonly #records: number;
  /** Of each segment, by field, then by term: queries ask for the same terms several times. */
  readonly #numbers = new Map<string, Map<string, readonly (number | null)[]>>();

  constructor(selections: readonly Selection[], { fields, steps, expansions }: SegmentsTermsOptions) {
    this.#steps = steps;
    this.#expansions = expansions;
    this.#selections = selections;
    this.#fields = fields;
    this.#records = selections.reduce((sum, { snapshot }) => sum + snapshot.liveCount, 0);
  }

  statistics(field: string): FieldStatistics {
    const number = this.#fields.get(field);
    const tokens = number === undefined ? 0 : this.#sum(({ view }) => view.texts.tokensOf(number));
    return { records: this.#records, tokens };
  }

  holders(key: TermKey): number {
    const numbers = this.numbersOf(key);
    let sum = 0;
    for (const [segment, { view }] of this.#selections.entries()) {
      const number = numbers[segment] ?? null;
      if (number !== null) sum += view.texts.holdersOf(number);
    }
    return sum;
  }

  /** The number of a term in each segment; null in those that have never had it. */
  numbersOf({ field, term }: TermKey): readonly (number | null)[] {
    let known = this.#numbers.get(field);
    if (known === undefined) {
      known = new Map();
      this.#numbers.set(field, known);
    }
    let numbers = known.get(term);
    if (numbers === undefined) {
      const number = this.#fields.get(field);
      numbers = this.#selections.map(({ view }) =>
        number === undefined ? null : view.texts.numberOf(number, term),
      );
      known.set(term, numbers);
    }
    return numbers;
  }

  expand(query: ExpandingQuery): readonly string[] {
    const field = this.#fields.get(query.field);
    if (field === undefined) return [];
    const expansion = expansionOf(query);
    const found = new Set<string>();
    for (const { view } of this.#selections)
      view.texts.visitMatching(field, expansion, {
        steps: this.#steps,
        accepted: this.#expansions.of(query, view.texts),
        visitor: (term) => {
          found.add(term);
          if (expansion.kind === 'automaton' && found.size > AUTOMATON_EXPANSIONS_MAX) throw tooManyTerms();
        },
      });
    return boundedExpansion(expansion, [...found]);
  }

  #sum(count: (selection: Selection) => number): number {
    return this.#selections.reduce((sum, selection) => sum + count(selection), 0);
  }
}
