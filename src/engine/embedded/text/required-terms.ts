// Which terms every record must have to match a query.
import type { BoundNode } from '../../../domain/full-text/scoring/bound-query.ts';

/** Numbers of the terms that every record has that matches; there may be more such terms. */
export function requiredTerms(node: BoundNode): ReadonlySet<number> {
  switch (node.kind) {
    case 'term':
      return new Set([node.term]);
    case 'phrase':
      return new Set(node.terms.map(({ term }) => term));
    case 'anyOf':
      return new Set(node.phrase.map(({ term }) => term));
    case 'boost':
      return requiredTerms(node.node);
    case 'bool': {
      const [only] = node.should;
      if (node.must.length === 0) return only && node.should.length === 1 ? requiredTerms(only) : new Set();
      return new Set(node.must.flatMap((part) => [...requiredTerms(part)]));
    }
    default:
      return new Set();
  }
}
