// Which queries the kernel answers from posting lists alone, and their clauses: what remains of nested queries whose scores
// are sums of terms and phrases.
import { boosted } from '../../../domain/full-text/scoring/boosted.ts';
import type { BoundNode, BoundPhraseTerm } from '../../../domain/full-text/scoring/bound-query.ts';

export interface ListClause {
  readonly kind: 'must' | 'should' | 'not';
  /** One term, or those of a phrase, the rarest first. */
  readonly terms: readonly BoundPhraseTerm[];
  readonly weight: number;
  /** What the score is multiplied by. */
  readonly factor: number;
}

export interface ListPlan {
  /** `union`: any of the terms; else there are required clauses. */
  readonly kind: 'union' | 'conjunction';
  readonly clauses: readonly ListClause[];
}

/** How posting lists answer a query; null when they do not. */
export function planLists(root: BoundNode): ListPlan | null {
  const terms = termsOf(root, 1);
  if (terms !== null) return { kind: 'union', clauses: terms };
  const clauses = required(root, 1);
  return clauses === null ? null : { kind: 'conjunction', clauses };
}

/** The clauses of a query that any term satisfies; null when it is another one. */
function termsOf(node: BoundNode, factor: number): readonly ListClause[] | null {
  switch (node.kind) {
    case 'none':
      return [];
    case 'term':
      return [{ kind: 'should', terms: [{ term: node.term, offset: 0 }], weight: node.weight, factor }];
    case 'boost':
      return termsOf(node.node, boosted(factor, node.factor));
    case 'bool':
      return node.must.length > 0 || node.mustNot.length > 0
        ? null
        : joined(node.should.map((part) => termsOf(part, factor)));
    default:
      return null;
  }
}

/** The clauses of a query that requires terms or phrases; null when it is another one. */
function required(node: BoundNode, factor: number): readonly ListClause[] | null {
  switch (node.kind) {
    case 'term':
    case 'phrase': {
      const leaf = leafOf(node, factor);
      return leaf === null ? null : [{ ...leaf, kind: 'must' }];
    }
    case 'boost':
      return required(node.node, boosted(factor, node.factor));
    case 'bool': {
      const { must, should, mustNot } = node;
      const [only] = should;
      if (must.length === 0)
        return only !== undefined && should.length === 1 && mustNot.length === 0
          ? required(only, factor)
          : null;
      return joined([
        ...must.map((part) => required(part, factor)),
        ...should.map((part) => leaves(part, factor, 'should')),
        ...mustNot.map((part) => leaves(part, factor, 'not')),
      ]);
    }
    default:
      return null;
  }
}

/** A term or a phrase, or any of several, as clauses that a record may have or not. */
function leaves(node: BoundNode, factor: number, kind: 'should' | 'not'): readonly ListClause[] | null {
  switch (node.kind) {
    case 'none':
      return [];
    case 'boost':
      return leaves(node.node, boosted(factor, node.factor), kind);
    case 'bool':
      return node.must.length > 0 || node.mustNot.length > 0
        ? null
        : joined(node.should.map((part) => leaves(part, factor, kind)));
    case 'anyOf':
      if (kind === 'should' || node.phrase.length > 0) return null;
      return node.lasts.map((term) => ({ kind, terms: [term], weight: 0, factor: 0 }));
    default: {
      const leaf = leafOf(node, factor);
      return leaf === null ? null : [{ ...leaf, kind }];
    }
  }
}

function leafOf(node: BoundNode, factor: number): Omit<ListClause, 'kind'> | null {
  if (node.kind === 'term') return { terms: [{ term: node.term, offset: 0 }], weight: node.weight, factor };
  if (node.kind !== 'phrase' || node.slop > 0) return null;
  return { terms: node.terms, weight: node.weight, factor };
}

function joined(parts: readonly (readonly ListClause[] | null)[]): readonly ListClause[] | null {
  const all: ListClause[] = [];
  for (const part of parts) {
    if (part === null) return null;
    all.push(...part);
  }
  return all;
}
