// Comparisons of numbers in filters, as ranges.
import { nextAbove, nextBelow } from '../../../domain/adjacent-number.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { NumericRange } from './cell-order.ts';

/** The comparisons of each field as one range, because a record has one number of a field, and lists of values apart. */
export function joinRanges(parts: readonly Filter[]): {
  readonly lists: readonly Filter[];
  readonly ranges: ReadonlyMap<string, NumericRange>;
  readonly others: readonly Filter[];
} {
  const ranges = new Map<string, NumericRange>();
  const lists: Filter[] = [];
  const others: Filter[] = [];
  for (const part of parts) {
    if (part.kind !== 'field') others.push(part);
    else if (part.test.op === 'in') lists.push(part);
    else if (part.test.op !== 'compare') others.push(part);
    else {
      const { low, high } = rangeOf(part.test.relation, part.test.bound);
      const known = ranges.get(part.field);
      const joined = { low: Math.max(low, known?.low ?? low), high: Math.min(high, known?.high ?? high) };
      ranges.set(part.field, joined);
    }
  }
  return { lists, ranges, others };
}

/** The numbers that a comparison with a bound passes. */
export function rangeOf(relation: 'gt' | 'gte' | 'lt' | 'lte', bound: number): NumericRange {
  switch (relation) {
    case 'gt':
      return { low: nextAbove(bound), high: Number.POSITIVE_INFINITY };
    case 'gte':
      return { low: bound, high: Number.POSITIVE_INFINITY };
    case 'lt':
      return { low: Number.NEGATIVE_INFINITY, high: nextBelow(bound) };
    case 'lte':
      return { low: Number.NEGATIVE_INFINITY, high: bound };
  }
}
