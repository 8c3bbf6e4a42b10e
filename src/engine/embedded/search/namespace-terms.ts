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
import type { Selection } from './selection.ts';

export class SegmentsTerms implements NamespaceTerms {
  readonly #selections: readonly Selection[];
  readonly #fields: ReadonlyMap<string, number>;
  readonly #steps: QuerySteps;
  readonly #records: number;

  /** @param fields numbers of the text fields, by name */
  constructor(
    selections: readonly Selection[],
    { fields, steps }: { readonly fields: ReadonlyMap<string, number>; readonly steps: QuerySteps },
  ) {
    this.#steps = steps;
    this.#selections = selections;
    this.#fields = fields;
    this.#records = selections.reduce((sum, { snapshot }) => sum + snapshot.liveCount, 0);
  }

  statistics(field: string): FieldStatistics {
    const number = this.#fields.get(field);
    const tokens = number === undefined ? 0 : this.#sum(({ view }) => view.texts.tokensOf(number));
    return { records: this.#records, tokens };
  }

  holders({ field, term }: TermKey): number {
    const number = this.#fields.get(field);
    if (number === undefined) return 0;
    return this.#sum(({ view: { texts } }) => {
      const found = texts.numberOf(number, term);
      return found === null ? 0 : texts.holdersOf(found);
    });
  }

  expand(query: ExpandingQuery): readonly string[] {
    const field = this.#fields.get(query.field);
    if (field === undefined) return [];
    const expansion = expansionOf(query);
    const found = new Set<string>();
    for (const { view } of this.#selections)
      view.texts.visitMatching(field, expansion, {
        steps: this.#steps,
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
