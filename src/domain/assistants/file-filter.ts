// Filters on files: they work as on records, except that a file without a field is unequal to everything.
import type { Filter } from '../filter/grammar.ts';
import { matches } from '../filter/matches.ts';
import type { Metadata } from '../records/record.ts';

/** Translates a filter on files into the equivalent filter on records. */
export function fileFilter(filter: Filter): Filter {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return { kind: filter.kind, parts: filter.parts.map(fileFilter) };
    case 'not':
      return { kind: 'not', part: fileFilter(filter.part) };
    case 'field': {
      const { field, test } = filter;
      if (test.op !== 'notEqual') return filter;
      const lacksIt: Filter = { kind: 'field', field, test: { op: 'exists', present: false } };
      return { kind: 'any', parts: [filter, lacksIt] };
    }
  }
}

/** Returns the test that a filter makes of the metadata of files; null when every file passes. */
export function acceptsBy(filter: Filter | null): ((metadata: Metadata) => boolean) | null {
  if (filter === null) return null;
  const adapted = fileFilter(filter);
  return (metadata) => matches(adapted, metadata);
}
