// The filter language as a tree. parse-filter.ts makes one from JSON; evaluators walk it.

import type { TextQuery } from '../full-text/text-query.ts';
import type { Area } from './geo.ts';

export type Scalar = string | number | boolean;

/** Condition on one metadata field. Absent fields and type mismatches: docs of each evaluator. */
export type FieldTest =
  | { readonly op: 'in'; readonly values: readonly Scalar[] }
  | { readonly op: 'notIn'; readonly values: readonly Scalar[] }
  /** Present, with a value or an element of a list that is none of these. Callers' filters do not have it; groups do. */
  | { readonly op: 'other'; readonly values: readonly Scalar[] }
  | { readonly op: 'compare'; readonly relation: 'gt' | 'gte' | 'lt' | 'lte'; readonly bound: number }
  | { readonly op: 'exists'; readonly present: boolean }
  /** A text, or one of a list, that tells a moment (moment.ts) between two, inclusive; Infinity for no bound. */
  | { readonly op: 'moment'; readonly from: number; readonly to: number }
  /** A text, or one of a list, that tells a place (geo.ts) in the area. */
  | { readonly op: 'within'; readonly area: Area };

/** `$eq` is an `in` of one value, `$ne` a `notIn` of one. `all` of nothing matches everything, `any` of nothing matches nothing. */
export type Filter =
  | { readonly kind: 'field'; readonly field: string; readonly test: FieldTest }
  /** Document indexes only: records whose text fields match; scores do not matter. */
  | { readonly kind: 'text'; readonly query: TextQuery }
  /** Records whose field holds no number, or one above `now`. Callers' filters do not have it; reads with a time to live do. */
  | { readonly kind: 'live'; readonly field: string; readonly now: number }
  | { readonly kind: 'all'; readonly parts: readonly Filter[] }
  | { readonly kind: 'any'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter };
