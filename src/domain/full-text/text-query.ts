// A full-text query over analyzed terms: what engines match and score. Plain data, sent between threads.

export interface PhraseTerm {
  readonly term: string;
  /** Position within the phrase, from 0. */
  readonly position: number;
}

/**
 * Leaves name one field each. Scores: BM25 (scoring/bm25.ts) for `term` and `phrase`, 1 for every other leaf that matches;
 * a `boost` multiplies the score of its query; a `bool` adds those of its `must` and `should` queries that match. Filters
 * use the same queries and ignore scores.
 */
export type TextQuery =
  /** Every record of the namespace. */
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'term'; readonly field: string; readonly term: string }
  /**
   * The terms at their positions; `slop` is how far they may be moved in all, in positions: see scoring/phrase-matches.ts.
   * At least two terms, in rising order of positions; the n-grams of one word share a position.
   */
  | {
      readonly kind: 'phrase';
      readonly field: string;
      readonly terms: readonly PhraseTerm[];
      readonly slop: number;
    }
  /** As a phrase without slop, whose last term is a prefix; the first `expansionsMax` terms with it count, in order of their bytes. */
  | {
      readonly kind: 'phrasePrefix';
      readonly field: string;
      readonly terms: readonly PhraseTerm[];
      readonly expansionsMax: number;
    }
  /** Terms within an edit distance (Levenshtein; 0 to 2) of `term`. */
  | { readonly kind: 'fuzzy'; readonly field: string; readonly term: string; readonly editsMax: number }
  /** Terms that match a regular expression as a whole: see automata/regex.ts. Checked before. */
  | { readonly kind: 'regex'; readonly field: string; readonly pattern: string }
  | { readonly kind: 'boost'; readonly factor: number; readonly query: TextQuery }
  /** All of `must`, none of `mustNot`, and at least one of `should` where `must` is empty: then none of both is no match. */
  | {
      readonly kind: 'bool';
      readonly must: readonly TextQuery[];
      readonly should: readonly TextQuery[];
      readonly mustNot: readonly TextQuery[];
    };
