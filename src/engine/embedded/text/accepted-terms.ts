// The terms that the automata of a search accept, kept while writes overtake it: each further try tests new terms alone.
import type { ExpandingQuery } from '../../../domain/full-text/scoring/term-matcher.ts';

/** Of one leaf of a query in one segment. */
export interface AcceptedTerms {
  /** Whether a live record has them or not. */
  readonly terms: { readonly text: string; readonly term: number }[];
  /** Terms with lower numbers were tested. */
  tested: number;
}

export class KnownExpansions {
  readonly #known = new WeakMap<ExpandingQuery, WeakMap<object, AcceptedTerms>>();

  /** @param reader of the segment's terms, whose numbers stay the same */
  of(query: ExpandingQuery, reader: object): AcceptedTerms {
    let segments = this.#known.get(query);
    if (segments === undefined) {
      segments = new WeakMap();
      this.#known.set(query, segments);
    }
    let accepted = segments.get(reader);
    if (accepted === undefined) {
      accepted = { terms: [], tested: 0 };
      segments.set(reader, accepted);
    }
    return accepted;
  }
}
