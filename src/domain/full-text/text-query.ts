// A full-text query over analyzed terms: what engines match and score. Plain data, sent between threads.

export interface PhraseTerm {
  readonly term: string;
  /** Position within the phrase, from 0. */
  readonly position: number;
}

/**
 * Leaves name one field each. Scores: BM25 for `term` and `phrase` (docs/decisions name the constants), 1 for every
 * other leaf that matches; a `boost` multiplies the score of its query; a `bool` adds those of its `must` and `should`
 * queries that match. Filters use the same queries and ignore scores.
 */
export type TextQuery =
  /** Every record of the namespace. */
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'term'; readonly field: string; readonly term: string }
  /** The terms at their positions; `slop` is how far they may be moved in all, in positions. At least two terms. */
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
  /** Terms that match a regular expression as a whole; checked before, see `regex`. */
  | { readonly kind: 'regex'; readonly field: string; readonly pattern: string }
  | { readonly kind: 'boost'; readonly factor: number; readonly query: TextQuery }
  /** All of `must`, none of `mustNot`, and at least one of `should` where `must` is empty. */
  | {
      readonly kind: 'bool';
      readonly must: readonly TextQuery[];
      readonly should: readonly TextQuery[];
      readonly mustNot: readonly TextQuery[];
    };
