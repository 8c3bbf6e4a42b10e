// The score that no record exceeds: what a record would get that has every term of a query without end.
import { SATURATION_MAX } from './bm25.ts';
import type { BoundNode } from './bound-query.ts';

/** Rises with the terms of the query and their rarity; 0 where nothing can match. */
export function scoreMax(node: BoundNode): number {
  switch (node.kind) {
    case 'none':
      return 0;
    case 'all':
    case 'anyOf':
      return 1;
    case 'term':
    case 'phrase':
      return node.weight * SATURATION_MAX;
    case 'boost':
      return node.factor * scoreMax(node.node);
    case 'bool':
      return [...node.must, ...node.should].reduce((sum, part) => sum + scoreMax(part), 0);
  }
}
