// The score that shares of a weighted fusion are of: what a record would get that has every term of a query without end.
import { SATURATION_MAX } from './bm25.ts';
import { boosted, SCORE_MAX } from './boosted.ts';
import type { BoundNode, BoundQuery } from './bound-query.ts';

/**
 * What a constant score of 1 is a share of: a third, 5/9 in a weighted fusion. Records with it are in no order, and may be
 * many: they do not come before the nearest vectors.
 */
export const CONSTANT_MAX = 3;

/**
 * At most SCORE_MAX. Rises with the words of the query and their rarity; 0 where nothing can match, and for a query that every
 * record matches alike, which says nothing of any. A word that is looked for in several fields counts in one of them, the rarest that has
 * it: in all of them, it would be no more of what the query wants. So a record with a word in many fields may exceed it.
 */
export function scoreMax({ root, terms }: Pick<BoundQuery, 'root' | 'terms'>): number {
  return isAll(root) ? 0 : Math.min(maxOf(root, terms), SCORE_MAX);
}

function isAll(node: BoundNode): boolean {
  return node.kind === 'boost' ? isAll(node.node) : node.kind === 'all';
}

type Terms = BoundQuery['terms'];

function maxOf(node: BoundNode, terms: Terms): number {
  switch (node.kind) {
    case 'none':
      return 0;
    case 'all':
    case 'anyOf':
      return CONSTANT_MAX;
    case 'term':
    case 'phrase':
      return node.weight * SATURATION_MAX;
    case 'boost':
      return boosted(maxOf(node.node, terms), node.factor);
    case 'bool':
      return sumOf([
        ...node.must.map((part) => maxOf(part, terms)),
        ...[...Map.groupBy(node.should, (part) => wordsOf(part, terms)).values()].map((same) =>
          inOneField(same, terms),
        ),
      ]);
  }
}

/** The same words, looked for in fields of which some records have them; if none do, in any. */
function inOneField(same: readonly BoundNode[], terms: Terms): number {
  const held = same.filter(isHeld);
  const byField = Map.groupBy(held.length > 0 ? held : same, (part) => fieldOf(part, terms));
  return Math.max(...[...byField.values()].map((parts) => sumOf(parts.map((part) => maxOf(part, terms)))));
}

function isHeld(node: BoundNode): boolean {
  return !('isHeld' in node) || node.isHeld;
}

/** Equal for the same words in different fields; what has no field of its own is like nothing else. */
function wordsOf(node: BoundNode, terms: Terms): unknown {
  switch (node.kind) {
    case 'term':
      return terms[node.term]?.term;
    case 'phrase':
      return JSON.stringify([
        node.slop,
        ...node.terms.map(({ term, offset }) => [offset, terms[term]?.term]).sort(),
      ]);
    case 'anyOf':
      // Expansions differ from field to field.
      return ANY;
    default:
      return node;
  }
}

const ANY = Symbol('any');

function fieldOf(node: BoundNode, terms: Terms): unknown {
  if (node.kind === 'term') return terms[node.term]?.field;
  const [first] = node.kind === 'phrase' ? node.terms : node.kind === 'anyOf' ? node.lasts : [];
  return first === undefined ? node : terms[first.term]?.field;
}

function sumOf(parts: readonly number[]): number {
  return Math.min(
    parts.reduce((sum, each) => sum + each, 0),
    Number.MAX_VALUE,
  );
}
