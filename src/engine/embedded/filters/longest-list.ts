// How long the lists of a filter are, for which searches have memory ready.
import type { Filter } from '../../../domain/filter/grammar.ts';

/** Values of the longest list in a filter; 0 without lists. */
export function longestList(filter: Filter): number {
  switch (filter.kind) {
    case 'field':
      return 'values' in filter.test ? filter.test.values.length : 0;
    case 'all':
    case 'any':
      return filter.parts.reduce((longest, part) => Math.max(longest, longestList(part)), 0);
    case 'not':
      return longestList(filter.part);
    case 'text':
    case 'live':
      return 0;
  }
}
