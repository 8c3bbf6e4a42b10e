// The parts of a query that can be marked in the text of a field.
import { type Expansion, expansionOf } from '../scoring/term-matcher.ts';
import type { PhraseTerm, TextQuery } from '../text-query.ts';

export type MarkedLeaf =
  | { readonly kind: 'term'; readonly term: string }
  | { readonly kind: 'expansion'; readonly expansion: Expansion }
  /** `last`: what the last position of the phrase stands for; null where it is one of the terms. */
  | {
      readonly kind: 'phrase';
      readonly terms: readonly PhraseTerm[];
      readonly slop: number;
      readonly last: { readonly expansion: Expansion; readonly position: number } | null;
    };

/** The leaves of a query by field, without those that must not match. */
export function leavesByField(query: TextQuery): ReadonlyMap<string, readonly MarkedLeaf[]> {
  const byField = Map.groupBy(leavesOf(query), ({ field }) => field);
  return new Map(Array.from(byField, ([field, leaves]) => [field, leaves.map(({ leaf }) => leaf)]));
}

/** Times that the terms of a text are looked at for these leaves. */
export function passesOf(leaves: readonly MarkedLeaf[]): number {
  return 1 + leaves.filter((leaf) => leaf.kind === 'expansion' || isPrefixed(leaf)).length;
}

function isPrefixed(leaf: MarkedLeaf): boolean {
  return leaf.kind === 'phrase' && leaf.last !== null;
}

interface FieldLeaf {
  readonly field: string;
  readonly leaf: MarkedLeaf;
}

function leavesOf(query: TextQuery): readonly FieldLeaf[] {
  switch (query.kind) {
    case 'all':
    case 'none':
      return [];
    case 'boost':
      return leavesOf(query.query);
    case 'bool':
      return [...query.must, ...query.should].flatMap(leavesOf);
    default:
      return [{ field: query.field, leaf: leafOf(query) }];
  }
}

function leafOf(query: Extract<TextQuery, { readonly field: string }>): MarkedLeaf {
  switch (query.kind) {
    case 'term':
      return { kind: 'term', term: query.term };
    case 'phrase':
      return { kind: 'phrase', terms: query.terms, slop: query.slop, last: null };
    case 'phrasePrefix': {
      const position = query.terms.at(-1)?.position ?? 0;
      const last = { expansion: expansionOf(query), position };
      return { kind: 'phrase', terms: query.terms.slice(0, -1), slop: 0, last };
    }
    case 'fuzzy':
    case 'regex':
      return { kind: 'expansion', expansion: expansionOf(query) };
  }
}
